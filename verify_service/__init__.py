"""Phone verification for web and mobile front ends: sessions in front of the verification API, and a page for people.

It keeps no codes. A browser never sees the upstream's key, its tokens or its proofs.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from verify_service.application import create_app

__all__ = ["create_app"]


def __getattr__(name: str) -> Any:  # noqa: ANN401  (the language's own signature)
    # Loaded when asked for, so that the command line finds `verify_service.commands` quickly.
    if name in __all__:
        from verify_service import application

        return getattr(application, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
