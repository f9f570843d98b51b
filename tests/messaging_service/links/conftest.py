"""The bench, for the tests of this folder."""

from benches import (
    anyio_backend,
    bench,
    bench_on_postgresql,
    bench_on_sqlite,
    stores_on_postgresql,
    stores_on_sqlite,
)

__all__ = [
    "anyio_backend",
    "bench",
    "bench_on_postgresql",
    "bench_on_sqlite",
    "stores_on_postgresql",
    "stores_on_sqlite",
]
