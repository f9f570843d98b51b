"""Whom to write to: read, brought into one writing, each once."""
