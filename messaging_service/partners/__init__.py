"""Partners: customers whom they bring, and the devices and people of their apps (details, "partner")."""
