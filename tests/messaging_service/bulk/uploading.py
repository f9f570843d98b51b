"""What the tests of bulk upload do again and again."""

import uuid
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import orjson

TYPES = {"jsonl": "application/jsonl", "gz": "application/gzip"}
NEVER_PRICED = "420601123456"


def message(number=NEVER_PRICED, **more):
    return {"to": [{"phone_number": number}], "body": "Hello"} | more


def jsonl(*documents):
    """Return a file of these documents; bytes stay as they are."""
    lines = (each if isinstance(each, bytes) else orjson.dumps(each) for each in documents)
    return b"".join(line + b"\n" for line in lines)


def new_bulk_id():
    return f"bulk-{uuid.uuid4()}"


def address(service, bulk_id=None, filetype="jsonl", **more):
    """Ask for an address. Returns it."""
    body = {"bulk_id": bulk_id or new_bulk_id(), "filetype": filetype} | more
    answer = service.api.post("/v1/messaging/url", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()["url"]


def put(url, content, filetype="jsonl", **headers):
    return httpx.put(url, content=content, headers={"content-type": TYPES[filetype]} | headers, timeout=20)


def upload(service, content, filetype="jsonl", **more):
    """Upload a file. Returns its ``bulk_id``."""
    bulk_id = new_bulk_id()
    answer = put(address(service, bulk_id, filetype, **more), content, filetype)
    assert answer.status_code == 200, answer.text
    return bulk_id


def status(service, bulk_id):
    return service.api.get("/v1/messaging/bulk", params={"bulk_id": bulk_id}).json()["bulk"]


def wait_for(service, bulk_id, state="done"):
    """Return the status of an upload once it is in a state."""

    def reached():
        found = status(service, bulk_id)
        return found if found["state"] == state else None

    return service.wait_until(reached)


def folder_of(service):
    return service.settings.bulk_folder or Path(urlsplit(service.settings.database).path[1:]).with_name("uploads")


def files_of(service):
    """Return the names of the files that the service holds."""
    return sorted(path.name for path in folder_of(service).iterdir() if path.name != "upload.key")
