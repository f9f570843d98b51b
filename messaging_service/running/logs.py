"""Structured logs: one line an event, for people or for machines. Never a text, code, full number or key."""

import logging
import sys
from typing import Literal

import structlog

# What functions were holding when they failed is texts, numbers and keys.
_TRACEBACK = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)


def configure(log_format: Literal["human", "json"], level: str) -> None:
    """Send every log line, ours and the libraries', to standard error in one format."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    render: list[structlog.typing.Processor] = (
        [structlog.processors.ExceptionRenderer(_TRACEBACK), structlog.processors.JSONRenderer()]
        if log_format == "json"
        else [
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)
        ]
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *render],
        ),
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    # A library's own requests would put addresses and parameters into the log.
    for noisy in ("httpx", "httpcore", "uvicorn", "alembic"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
