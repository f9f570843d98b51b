"""The interface as Python: what crosses the wire, and a client for it."""
