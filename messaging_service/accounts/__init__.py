"""Accounts: keys and their scopes, wallets, the price list."""
