"""Batches on their way, each exactly once, and what became of them."""
