"""The ways out: one file a channel, each with its request, its answers and the map to our results."""
