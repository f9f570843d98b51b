"""The tables, one file an aggregate."""

from messaging_service.store.tables.accounts import accounts, keys, wallets
from messaging_service.store.tables.billing import (
    billed_wallets,
    billing_records,
    daily_charges,
    invoice_files,
    invoice_numbers,
    invoices,
)
from messaging_service.store.tables.bulk import bulk_uploads
from messaging_service.store.tables.callbacks import callbacks
from messaging_service.store.tables.chat_apps import chat_app_events, chat_templates
from messaging_service.store.tables.connectors import connector_credentials
from messaging_service.store.tables.credit import credit_alerts, mails
from messaging_service.store.tables.devices import push_devices, registered_recipients
from messaging_service.store.tables.idempotency import idempotency_keys
from messaging_service.store.tables.inbox import inbox
from messaging_service.store.tables.journal import accepted_calls, filed_calls, store_identity
from messaging_service.store.tables.links import short_links
from messaging_service.store.tables.messages import contents, messages
from messaging_service.store.tables.orders import orders
from messaging_service.store.tables.schema import metadata
from messaging_service.store.tables.statistics import daily_networks, daily_statistics
from messaging_service.store.tables.suppressions import suppressions
from messaging_service.store.tables.verification import verification_limits, verification_settings, verifications

__all__ = [
    "accepted_calls",
    "accounts",
    "billed_wallets",
    "billing_records",
    "bulk_uploads",
    "callbacks",
    "chat_app_events",
    "chat_templates",
    "connector_credentials",
    "contents",
    "credit_alerts",
    "daily_charges",
    "daily_networks",
    "daily_statistics",
    "filed_calls",
    "idempotency_keys",
    "inbox",
    "invoice_files",
    "invoice_numbers",
    "invoices",
    "keys",
    "mails",
    "messages",
    "metadata",
    "orders",
    "push_devices",
    "registered_recipients",
    "short_links",
    "store_identity",
    "suppressions",
    "verification_limits",
    "verification_settings",
    "verifications",
    "wallets",
]
