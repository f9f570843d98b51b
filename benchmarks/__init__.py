"""Benchmarks of Dovecote beside Kannel: ``make bench``, or ``python -m benchmarks``."""
