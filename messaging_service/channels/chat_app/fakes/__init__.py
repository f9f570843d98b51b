"""Fakes of messaging apps' platforms, spoken to over real HTTP: for tests, and for trying without an account there."""
