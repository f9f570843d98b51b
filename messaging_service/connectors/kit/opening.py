"""Puts connectors together with what they need of the service."""

from messaging_service.connectors.kit.asking import Asking
from messaging_service.connectors.kit.connector import Surroundings
from messaging_service.connectors.kit.credentials import Credentials
from messaging_service.connectors.kit.registry import open_connectors
from messaging_service.settings import Settings
from messaging_service.store.engine import Store


def open_asking(settings: Settings, store: Store) -> Asking:
    """Return what asks the connectors that this service is set up for."""
    surroundings = Surroundings(settings, Credentials(store).find)
    return Asking(open_connectors(surroundings), settings.connector_limit)
