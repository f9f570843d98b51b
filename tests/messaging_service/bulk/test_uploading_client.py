"""The client uploads a file in one call, from memory or from disk, and its errors are those of every call."""

import asyncio
import gzip

import pytest
from uploading import jsonl, message, new_bulk_id, wait_for

from interface import errors
from interface.bulk import BulkState, Filetype
from interface.client import Addresses, AsyncMessagingClient, MessagingClient
from interface.message import MessageRequest, Recipient

FILE = jsonl(message(), message())


@pytest.fixture
def client(bulk_service):
    with MessagingClient(bulk_service.key, Addresses.of(bulk_service.url)) as client:
        yield client


def write(folder, content):
    path = folder / "file"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(("content", "filetype"), [(FILE, Filetype.JSONL), (gzip.compress(FILE, mtime=0), Filetype.GZ)])
def test_a_file_or_bytes_are_uploaded_as_what_they_are(bulk_service, client, tmp_path, content, filetype):
    for source in (content, write(tmp_path, content)):
        bulk_id = new_bulk_id()

        client.upload_bulk(bulk_id, source)

        wait_for(bulk_service, bulk_id)
        found = client.bulk_status(bulk_id)
        assert (found.state, found.filetype, found.accepted) == (BulkState.DONE, filetype, 2)


def test_the_asynchronous_client_uploads_too(bulk_service, tmp_path):
    async def upload(source):
        bulk_id = new_bulk_id()
        async with AsyncMessagingClient(bulk_service.key, Addresses.of(bulk_service.url)) as client:
            await client.upload_bulk(bulk_id, source)
            return bulk_id

    for source in (FILE, write(tmp_path, FILE)):
        assert wait_for(bulk_service, asyncio.run(upload(source)))["accepted"] == 2


def test_what_the_address_refuses_is_an_error_with_its_sentence(client):
    with pytest.raises(errors.Invalid, match="over the limit") as refused:
        client.upload_bulk(new_bulk_id(), b"x" * 100_001)

    assert refused.value.status == 413


def test_a_large_file_that_is_refused_at_once_is_refused_in_words(client, tmp_path):
    with pytest.raises(errors.Invalid, match="over the limit"):
        client.upload_bulk(new_bulk_id(), write(tmp_path, b"x" * 50_000_000))


def test_a_bulk_id_that_was_used_is_a_conflict(client):
    bulk_id = new_bulk_id()
    client.upload_bulk(bulk_id, FILE)

    with pytest.raises(errors.Conflict, match="bulk_id"):
        client.upload_bulk(bulk_id, FILE)


def test_an_upload_that_nobody_takes_is_a_failed_connection(client, monkeypatch):
    monkeypatch.setattr(client, "bulk_url", lambda _: "http://127.0.0.1:9/")

    with pytest.raises(errors.ConnectionFailed):
        client.upload_bulk("a", FILE)


def test_checking_and_cancelling_are_calls_of_the_client(client):
    checked = client.bulk_validate([MessageRequest(to=[Recipient(phone_number="12")], body="x")])

    with pytest.raises(errors.NotFound):
        client.bulk_cancel(bulk_id="unknown")

    assert (checked.accepted, checked.errors[0].code) == (0, 302)
    assert client.bulk_status("unknown") is None
