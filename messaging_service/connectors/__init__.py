"""Marketing platforms, each a file to add: its name is the connector's (details, "connector"). How: docs."""
