"""Workers that issue invoices and are killed: each wallet has one, and the numbers have no gaps."""

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from accounting import charge

from messaging_service.accounts.money import UNIT

PROGRAM = Path(__file__).with_name("issuing_program.py")
WALLETS = 36


@contextmanager
def worker(service):
    """Run a process that issues; it is killed at the end of the block if it still runs."""
    command = [sys.executable, str(PROGRAM), service.settings.database]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3])
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def charged(service):
    for number in range(WALLETS - 1):
        service.open_account(f"the-key-of-account-number-{number:04d}", name=f"Account {number}")
    for wallet in range(1, WALLETS + 1):
        charge(service.store, wallet, "2026-03-10", wallet * UNIT)
    return service


def issued(service):
    with service.store.reading() as connection:
        rows = connection.exec_driver_sql("SELECT number, wallet_id FROM invoices ORDER BY number").all()
    return [number for number, _ in rows], sorted(wallet for _, wallet in rows)


def test_killed_workers_leave_each_invoice_issued_once_without_gaps(charged):
    for batches in (1, 2, 3):
        with worker(charged) as first, worker(charged) as second:
            for _ in range(batches):
                first.stdout.readline()
            second.stdout.readline()
    numbers_then, _ = issued(charged)
    with worker(charged) as last:
        last.wait()

    numbers, wallets = issued(charged)
    assert numbers[: len(numbers_then)] == numbers_then
    assert numbers == [f"2026{number:06d}" for number in range(1, WALLETS + 1)]
    assert wallets == list(range(1, WALLETS + 1))
