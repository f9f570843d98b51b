"""The store's history, one file a change, applied at start."""
