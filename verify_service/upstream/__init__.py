"""The verification API as this service asks it (specification 4.4), trusting nothing of what comes back."""
