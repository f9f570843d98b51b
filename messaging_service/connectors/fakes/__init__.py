"""Fakes of foreign platforms, spoken to over real HTTP: for tests, and for trying a connector without an account."""
