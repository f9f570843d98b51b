"""Marketing platforms (specification 4.3). A platform that refuses our credentials is a `Refused` of status 200."""

from collections.abc import Callable
from typing import TypeVar

from interface import calls
from interface.client.operations.operation import Operation, Sent, operation
from interface.connectors import (
    ConnectorAccount,
    ConnectorAction,
    ConnectorAnswer,
    ConnectorMe,
    ConnectorRequest,
    ConnectorSegment,
    ConnectorSender,
)
from interface.errors import Refused

Told = TypeVar("Told")


def connector_segments(connector: str, app_userid: str) -> Operation[list[ConnectorSegment]]:
    """Return the segments that a platform has for a user."""
    request = ConnectorRequest(app_userid=app_userid)
    return _ask(connector, ConnectorAction.SEGMENTS, request, lambda answer: answer.segments or [])


def connector_recipients(connector: str, app_userid: str, segment_id: str) -> Operation[list[str]]:
    """Return the phone numbers in a segment, each once; `NotFound` when the platform has no such segment."""
    request = ConnectorRequest(app_userid=app_userid, segment_id=segment_id)
    return _ask(connector, ConnectorAction.RECIPIENTS, request, lambda answer: answer.recipients or [])


def connector_senders(connector: str, app_userid: str) -> Operation[list[ConnectorSender]]:
    """Return the senders that a platform knows for a user."""
    request = ConnectorRequest(app_userid=app_userid)
    return _ask(connector, ConnectorAction.SENDERS, request, lambda answer: answer.senders or [])


def connector_me(connector: str, app_userid: str) -> Operation[ConnectorMe]:
    """Return the account and the currency by which a platform knows a user."""
    request = ConnectorRequest(app_userid=app_userid)
    return _ask(connector, ConnectorAction.ME, request, _me)


def _ask(
    connector: str,
    action: ConnectorAction,
    request: ConnectorRequest,
    told: Callable[[ConnectorAnswer], Told],
) -> Operation[Told]:
    def result(answer: ConnectorAnswer) -> Told:
        if not answer.success:
            raise Refused(answer.message or f"{connector} refuses the credentials.", 200)
        return told(answer)

    return operation(calls.CONNECT, Sent(body=request, path={"connector": connector, "action": action.value}), result)


def _me(answer: ConnectorAnswer) -> ConnectorMe:
    return ConnectorMe(account=answer.account or ConnectorAccount(), currency=answer.currency)
