"""Structured logs: one line an event. Never a code, a key, a proof, a token or a full number."""

import logging
import sys
from typing import Literal

import structlog


def configure(log_format: Literal["human", "json"], level: str) -> None:
    """Write events to standard error; the libraries say only what is wrong."""
    human = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer() if log_format == "json" else human,
        ],
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )
    logging.basicConfig(level=logging.WARNING)
    for library in ("urllib3", "requests", "werkzeug", "alembic", "sqlalchemy"):
        logging.getLogger(library).setLevel(logging.WARNING)
