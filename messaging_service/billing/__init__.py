"""Billing: what was charged by day, invoices by month, and their files (details, "billing")."""
