"""Bulk upload: one file of many messages, kept durably and then accepted line by line (specification 4.2)."""
