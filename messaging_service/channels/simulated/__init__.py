"""The simulated operator: a telephone network that takes messages and sends receipts, for demos, tests and benchmarks."""
