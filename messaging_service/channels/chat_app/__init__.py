"""Messaging apps: their templates, and the way out to a platform of the kind of the WhatsApp Cloud API."""
