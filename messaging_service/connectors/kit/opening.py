"""Puts connectors together with what they need of the service."""

from messaging_service.connectors.kit.asking import Asking
from messaging_service.connectors.kit.connector import Surroundings
from messaging_service.connectors.kit.credentials import Credentials
from messaging_service.connectors.kit.registry import open_connectors
from messaging_service.settings import Settings
from messaging_service.store.engine import Store
from messaging_service.verification.codes import CodeKeeper


def open_asking(settings: Settings, store: Store, codes: CodeKeeper) -> Asking:
    """Return what asks the connectors that this service is set up for."""
    surroundings = Surroundings(settings, Credentials(store, codes).find)
    return Asking(open_connectors(surroundings), settings.connector_limit)
