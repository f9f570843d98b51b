"""Puts the parts of bulk upload together from the settings."""

from collections.abc import Callable
from dataclasses import dataclass

from messaging_service.bulk.addresses import AddressBook
from messaging_service.bulk.folder import Folder, address_key, folder_path, open_folder
from messaging_service.bulk.processor import BulkProcessor
from messaging_service.bulk.receiving import Limits
from messaging_service.bulk.uploads import Uploads
from messaging_service.clock import Clock
from messaging_service.settings import Settings
from messaging_service.store.engine import Store


@dataclass(frozen=True, slots=True)
class Reception:
    """What takes files: the books of uploads, the folder, and how large a file may be."""

    uploads: Uploads
    folder: Folder
    limits: Limits


def open_reception(settings: Settings, store: Store, clock: Clock) -> Reception | None:
    """Return what takes files, None where the settings name no folder for them. Raises ValueError for a bad key."""
    path = folder_path(settings)
    if path is None:
        return None
    folder = open_folder(path)
    addresses = AddressBook(address_key(settings, path))
    return Reception(
        Uploads(store, clock, addresses),
        folder,
        Limits(settings.bulk_limit, settings.bulk_unpacked_limit),
    )


def open_processor(
    settings: Settings,
    store: Store,
    clock: Clock,
    on_accepted: Callable[[], None],
) -> BulkProcessor | None:
    """Return what reads files, None where the settings name no folder for them."""
    path = folder_path(settings)
    return None if path is None else BulkProcessor(store, clock, open_folder(path), on_accepted)
