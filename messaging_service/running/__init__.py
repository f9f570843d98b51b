"""How the service runs: its processes, how they listen, wake each other, and end."""
