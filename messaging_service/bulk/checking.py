"""Checks messages without sending them: phase 1 and, as far as it can be told now, phase 2 (details, "bulk")."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import ValidationError
from pydantic_core import from_json

from interface.bulk import CheckedError
from interface.field_errors import FieldError, field_errors
from interface.message import MAX_MESSAGES, MAX_RECIPIENTS, MessageRequest
from interface.results import DESCRIPTIONS, Result, ResultCode
from messaging_service.accept.planning import Caller, Plan, plan_object
from messaging_service.accept.reading import read_message, read_part
from messaging_service.accounts.keys import Key
from messaging_service.bulk.unstored import Copy, content_of, message_of
from messaging_service.clock import Clock
from messaging_service.message import Message, Move
from messaging_service.process.decide import Rules, affordable, decide, numbered
from messaging_service.process.phase_two import gather_facts
from messaging_service.process.steps import step_of
from messaging_service.refusals import InvalidRequest
from messaging_service.store import wallets
from messaging_service.store.engine import Store


@dataclass(frozen=True, slots=True)
class Candidate:
    """A recipient that passed phase 1: the ``key`` of its item, the field that names it, and its message."""

    key: str
    field: str
    message: Message


@dataclass(frozen=True, slots=True)
class _Item:
    """A message object, or what is wrong with it; ``recipients`` is how many it has as far as it can be read."""

    key: str
    request: MessageRequest | None
    errors: Sequence[FieldError] = ()
    recipients: int = 1


class Checker:
    """Tells what phase 1 and phase 2 would say."""

    def __init__(self, store: Store, clock: Clock, rules: Rules) -> None:
        self._store = store
        self._clock = clock
        self._rules = rules

    def check(self, key: Key, body: bytes) -> dict[str, Any]:
        """Return ``accepted`` and ``rejected`` recipients and the errors, as JSON-ready data.

        Raises InvalidRequest for a body that is neither a message object nor an array of 1 to 10.
        """
        document = _document(body)
        caller = Caller(key, self._clock.now())
        if isinstance(document, list):
            return self._check_many(caller, document)
        return self._check_one(caller, body, document)

    def can_pay(self, key: Key, requests: Iterable[MessageRequest]) -> bool:
        """Tell whether the key's wallet could pay now for all that would go out of these message objects."""
        caller = Caller(key, self._clock.now())
        candidates = [
            candidate
            for request in requests
            for candidate in _candidates(caller, request, [("", index) for index in range(len(request.to))])
        ]
        return all(error.code != ResultCode.INSUFFICIENT_CREDIT for error in self._refused(caller, candidates))

    def _check_one(self, caller: Caller, body: bytes, document: dict[str, Any]) -> dict[str, Any]:
        """Check one message: ``key`` is the index of the recipient, as in ``/message``."""
        try:
            request, indices, rejections = read_message(body)
        except InvalidRequest as refusal:
            return _verdict(0, _recipients(document), [_of_shape("0", error) for error in refusal.errors])
        bad = [_of_shape(str(each.key), FieldError(each.field, each.message)) for each in rejections]
        candidates = (
            [] if request is None else list(_candidates(caller, request, [(str(index), index) for index in indices]))
        )
        refused = self._refused(caller, candidates)
        return _verdict(len(candidates) - len(refused), len(bad) + len(refused), bad + refused)

    def _check_many(self, caller: Caller, documents: list[Any]) -> dict[str, Any]:
        """Check an array: ``key`` is the index of the message object, as in ``/messages``."""
        items = [_item(str(index), document) for index, document in enumerate(documents)]
        candidates = [
            candidate
            for item in items
            if item.request is not None
            for candidate in _candidates(
                caller, item.request, [(item.key, index) for index in range(len(item.request.to))]
            )
        ]
        bad = [_of_shape(item.key, error) for item in items for error in item.errors]
        unreadable = sum(item.recipients for item in items if item.request is None)
        refused = self._refused(caller, candidates)
        return _verdict(len(candidates) - len(refused), unreadable + len(refused), bad + refused)

    def _refused(self, caller: Caller, candidates: Sequence[Candidate]) -> list[CheckedError]:
        if not candidates:
            return []
        known = [numbered(candidate.message) for candidate in candidates]
        with self._store.reading() as connection:
            facts = gather_facts(connection, known, self._rules, caller.now)
            balance = wallets.shown_balance(connection, caller.key.wallet_id)
        moves = [Move(message, decide(message, facts, self._rules, caller.now)) for message in known]
        outcomes = affordable(moves, balance, caller.now)
        return [
            _of_phase_two(candidate, move.after)
            for candidate, move in zip(candidates, outcomes, strict=True)
            if move.after.state in {Result.REJECTED, Result.FAILED}
        ]


def _document(body: bytes) -> dict[str, Any] | list[Any]:
    try:
        document = _parsed(body)
    except orjson.JSONDecodeError as error:
        raise InvalidRequest([FieldError("", f"The body is not JSON: {error}.")]) from None
    if isinstance(document, dict) or (isinstance(document, list) and 1 <= len(document) <= MAX_MESSAGES):
        return document
    message = f"The body must be a message object or an array of 1 to {MAX_MESSAGES}."
    raise InvalidRequest([FieldError("", message)])


def _parsed(body: bytes) -> Any:  # noqa: ANN401 - whatever JSON the caller sent
    try:
        return from_json(body)
    except ValueError:
        return orjson.loads(body)  # which goes deeper, so that one deep message of several is named


def _item(key: str, document: object) -> _Item:
    try:
        return _Item(key, read_part(document))
    except ValidationError as error:
        return _Item(key, None, field_errors(error, "The message"), _recipients(document))
    except RecursionError:
        return _Item(key, None, [FieldError("", "The message is nested too deeply.")], _recipients(document))


def _recipients(document: object) -> int:
    recipients = document.get("to") if isinstance(document, dict) else None
    return min(max(len(recipients), 1), MAX_RECIPIENTS) if isinstance(recipients, list) else 1


def _candidates(caller: Caller, request: MessageRequest, places: Iterable[tuple[str, int]]) -> Iterator[Candidate]:
    """Yield the messages that a request would become; ``places`` are each recipient's ``key`` and index in ``to``."""
    plan = Plan("")
    plan_object(plan, caller, request)
    content = content_of(caller.key, plan.contents[0])
    for (key, index), recipient in zip(places, request.to, strict=True):
        message = message_of(content, Copy("", recipient.phone_number))
        yield Candidate(key, f"to[{index}].phone_number", message)


def _of_shape(key: str, error: FieldError) -> CheckedError:
    return CheckedError(key=key, field=error.field, message=error.message, code=ResultCode.REJECTED)


def _of_phase_two(candidate: Candidate, refused: Message) -> CheckedError:
    """Word a refusal; a message fails here by the last step of its flow, which can't leave."""
    failing = f"flow[{refused.flow_index}].{step_of(refused).channel}"
    field = failing if refused.state is Result.FAILED else candidate.field
    code = ResultCode.REJECTED if refused.code is None else refused.code
    message = refused.reason or DESCRIPTIONS[ResultCode(code)]
    return CheckedError(key=candidate.key, field=field, message=message, code=code)


def _verdict(accepted: int, rejected: int, errors: Sequence[CheckedError]) -> dict[str, Any]:
    return {"accepted": accepted, "rejected": rejected, "errors": [error.model_dump(mode="json") for error in errors]}
