"""What connectors have in common: the protocol, who has which credentials, HTTP within limits, asking."""
