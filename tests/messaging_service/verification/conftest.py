"""Fixtures of the verification tests: two processes, one after the other, on one store."""
