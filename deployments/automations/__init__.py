"""Automations as code: what the Prefect server does when a run crashes, hangs or fails, and when something is told."""
