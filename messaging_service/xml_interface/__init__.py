"""The XML interface (specification 4.5): documents in, documents out. Pure."""
