"""Verification of phone numbers by codes (specification 4.4, 7.4): start, check, prove, and the limits on all of it."""
