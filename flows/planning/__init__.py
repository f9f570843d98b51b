"""What is to be sent, to whom and when, before anything is sent."""
