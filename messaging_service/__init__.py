"""The messaging service: accepts, processes, tracks and reports messages."""
