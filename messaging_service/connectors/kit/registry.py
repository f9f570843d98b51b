"""Finds the connectors: every file beside ``demo`` and ``klaviyo`` is one."""

import pkgutil
from collections.abc import Iterable, Mapping
from importlib import import_module

from messaging_service import connectors
from messaging_service.connectors.kit.connector import Connector, OpenConnector, Surroundings


def names() -> Iterable[str]:
    """Return the names of all connectors, set up or not."""
    return [module.name for module in pkgutil.iter_modules(connectors.__path__) if not module.ispkg]


def open_connectors(surroundings: Surroundings) -> Mapping[str, Connector]:
    """Return the connectors that this service is set up for, by name."""
    opened = {name: _opener(name)(surroundings) for name in names()}
    return {name: connector for name, connector in opened.items() if connector is not None}


def _opener(name: str) -> OpenConnector:
    opener: OpenConnector = import_module(f"{connectors.__name__}.{name}").open_connector
    return opener
