"""Puts the notifier together as the settings say."""

from random import SystemRandom

from messaging_service.clock import SECOND, Clock
from messaging_service.notify.books import Books
from messaging_service.notify.network import GuardedNetwork, SystemResolver, any_address, is_public
from messaging_service.notify.notifier import Notifier
from messaging_service.notify.post import Poster
from messaging_service.notify.receivers import Limits
from messaging_service.notify.retries import Rules
from messaging_service.settings import Settings
from messaging_service.store.engine import Store

_RECORDING = 40 * SECOND


def open_notifier(settings: Settings, store: Store, clock: Clock) -> Notifier:
    """Return the notifier of a worker; it works while its ``run`` does."""
    random = SystemRandom()
    permit = any_address if settings.private_callbacks_allowed else is_public
    post = Poster(GuardedNetwork(permit, SystemResolver()), settings.callback_timeout)
    rules = Rules(settings.callback_attempts, round(settings.callback_timeout * SECOND) + _RECORDING)
    return Notifier(Books(store, clock, rules, random), clock, post, Limits(), random)
