"""Chooses the way out of each channel by the settings."""

from collections.abc import Mapping

from interface.flow_steps import Channel
from messaging_service.channels.channel import WayOut
from messaging_service.channels.chat_app.platform import TemplatePlatform
from messaging_service.channels.chat_app.simulated_platform import SimulatedPlatform
from messaging_service.channels.simulated import log
from messaging_service.channels.simulated.operator import Delay, Reports, SimulatedOperator
from messaging_service.clock import Clock
from messaging_service.settings import InDoubt, Settings
from messaging_service.store.engine import Store, open_store

SIMULATED_NOTICE = "The way out is the simulated operator: nothing reaches a telephone."


def open_operator_records(settings: Settings) -> Store:
    """Open the simulated operator's own records, making them where they don't exist."""
    records = open_store(settings.operator_url)
    log.create(records)
    return records


def ways_out(settings: Settings, records: Store, clock: Clock, reports: Reports) -> Mapping[Channel, WayOut]:
    """Return the way out of each channel: the simulated operator takes them all."""
    operator = SimulatedOperator(records, clock, Delay(*settings.delay), reports)
    return dict.fromkeys(Channel, operator)


def template_platform(settings: Settings, clock: Clock) -> TemplatePlatform:
    """Return the platform that keeps the accounts' templates."""
    return SimulatedPlatform(clock, settings.delay)


def channels_to_repeat(settings: Settings, ways: Mapping[Channel, WayOut]) -> frozenset[Channel]:
    """Return the channels on which a submission in doubt is made again."""
    if settings.in_doubt is InDoubt.RESEND:
        return frozenset(ways)
    return frozenset(channel for channel, way_out in ways.items() if way_out.recognises_repeats)
