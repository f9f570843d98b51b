"""The simulated operator: a network that takes messages and sends receipts, for demos and tests."""
