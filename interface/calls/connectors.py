"""The call about marketing platforms (specification 4.3)."""

from typing import Final

from pydantic import BaseModel, TypeAdapter

from interface.calls.call import Base, Call, ErrorAnswer
from interface.calls.errors import REST_ERRORS, WRONG_CONTENT_TYPE
from interface.connectors import ConnectorAnswer, ConnectorRequest

CONNECT: Final = Call(
    name="connect",
    method="POST",
    path="/connect/{connector}/{action}",
    base=Base.REST,
    group="partner",
    summary="Ask a marketing platform for segments, recipients, senders or its account",
    description=(
        "`action` is `segments`, `recipients`, `senders` or `me`. Recipients are valid phone numbers, each once. "
        "`success` is false when the platform refuses our credentials."
    ),
    body=TypeAdapter(ConnectorRequest),
    answer=ConnectorAnswer,
    errors=(
        *REST_ERRORS,
        ErrorAnswer(404, "Unsupported connector or action, or a segment that the platform doesn't have."),
        ErrorAnswer(413, "The request is larger than 1 MiB."),
        WRONG_CONTENT_TYPE,
        ErrorAnswer(429, "The platform asks for patience; `Retry-After` says how long."),
        ErrorAnswer(502, "The platform doesn't answer, or not as it should."),
    ),
)

CALLS: Final[tuple[Call[BaseModel], ...]] = (CONNECT,)
