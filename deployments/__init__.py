"""Composes the packages: one command line, one machine, Prefect deployments."""
