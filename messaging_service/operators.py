"""Chooses the way out of each channel by the settings."""

from collections.abc import Mapping
from typing import NamedTuple

from interface.flow_steps import Channel
from messaging_service.channels.channel import WayOut
from messaging_service.channels.chat_app.cloud_api import CloudApi
from messaging_service.channels.chat_app.cloud_platform import CloudPlatform
from messaging_service.channels.chat_app.cloud_settings import cloud_access
from messaging_service.channels.chat_app.platform import TemplatePlatform
from messaging_service.channels.chat_app.simulated_platform import SimulatedPlatform
from messaging_service.channels.simulated import log
from messaging_service.channels.simulated.operator import Delay, Reports, SimulatedOperator
from messaging_service.clock import Clock
from messaging_service.settings import InDoubt, Settings
from messaging_service.store.engine import Store, open_store

SIMULATED_NOTICE = "The way out is the simulated operator: nothing reaches a telephone."
WHATSAPP_NOTICE = "WhatsApp goes to {url}. Every other way out is the simulated operator: of that nothing arrives."


class Stores(NamedTuple):
    """The service's own store, and the simulated operator's records."""

    service: Store
    records: Store


def notice(settings: Settings) -> str:
    """Say in a sentence what reaches a telephone."""
    access = cloud_access(settings)
    return SIMULATED_NOTICE if access is None else WHATSAPP_NOTICE.format(url=access.url)


def open_operator_records(settings: Settings) -> Store:
    """Open the simulated operator's own records, making them where they don't exist."""
    records = open_store(settings.operator_url)
    log.create(records)
    return records


def ways_out(settings: Settings, stores: Stores, clock: Clock, reports: Reports) -> Mapping[Channel, WayOut]:
    """Return the way out of each channel: the simulated operator takes what no platform is set for."""
    operator = SimulatedOperator(stores.records, clock, Delay(*settings.delay), reports)
    ways: dict[Channel, WayOut] = dict.fromkeys(Channel, operator)
    access = cloud_access(settings)
    if access is not None:
        cloud = CloudApi(access, stores.service, clock, reports.on_receipts, reports.on_inbound)
        ways |= {Channel.WHATSAPP_TEXT: cloud, Channel.WHATSAPP_TEMPLATE: cloud}
    return ways


def template_platform(settings: Settings, clock: Clock) -> TemplatePlatform:
    """Return the platform that keeps the accounts' templates."""
    access = cloud_access(settings)
    return SimulatedPlatform(clock, settings.delay) if access is None else CloudPlatform(access, clock)


def channels_to_repeat(settings: Settings, ways: Mapping[Channel, WayOut]) -> frozenset[Channel]:
    """Return the channels on which a submission in doubt is made again."""
    if settings.in_doubt is InDoubt.RESEND:
        return frozenset(ways)
    return frozenset(channel for channel, way_out in ways.items() if way_out.recognises_repeats)
