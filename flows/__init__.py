"""Prefect flows that orchestrate multi-step messaging over the interface."""
