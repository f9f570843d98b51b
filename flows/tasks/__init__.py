"""What the flows are made of: a task wraps one step of the ledger, or of the client."""
