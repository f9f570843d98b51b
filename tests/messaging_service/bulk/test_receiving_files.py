"""A file is taken whole at its address, once, within a minute; else nothing of it stays (specification 4.2)."""

import gzip
import os
import stat
import threading

import httpx
import pytest
from running_service import run_service
from uploading import address, files_of, folder_of, jsonl, message, new_bulk_id, put, status, upload, wait_for

from messaging_service.clock import HOUR, SECOND

FILE = jsonl(message(), message())
PACKED = gzip.compress(FILE, mtime=0)  # the same in every process of a test run


@pytest.mark.parametrize(("content", "filetype"), [(FILE, "jsonl"), (PACKED, "gz"), (b"", "jsonl")])
def test_a_file_is_taken_and_read(service, content, filetype):
    bulk_id = upload(service, content, filetype)

    found = wait_for(service, bulk_id)

    assert (found["filetype"], found["accepted"], found["percentage"]) == (filetype, 2 if content else 0, 100.0)
    service.wait_until(lambda: files_of(service) == [])  # it goes just after the upload is done


def test_members_that_follow_each_other_are_one_gzip_file(bulk_service):
    bulk_id = upload(bulk_service, gzip.compress(FILE) + gzip.compress(FILE), "gz")

    assert wait_for(bulk_service, bulk_id)["accepted"] == 4


def test_the_address_is_below_the_host_that_was_called(bulk_service):
    assert address(bulk_service).startswith(f"{bulk_service.url}/v1/messaging/upload/")


def test_the_address_is_below_the_public_address_where_one_is_set(tmp_path):
    public = {"public_url": "https://sms.example:8443"}
    with run_service(f"sqlite:///{tmp_path}/dovecote.db", tmp_path, **public) as service:
        assert address(service).startswith("https://sms.example:8443/v1/messaging/upload/")


def test_without_a_folder_for_all_processes_postgresql_takes_no_files(postgresql_url, tmp_path):
    with run_service(postgresql_url, tmp_path) as service:
        answers = [
            service.api.post("/v1/messaging/url", json={"bulk_id": "a", "filetype": "gz"}),
            service.api.get("/v1/messaging/bulk", params={"bulk_id": "a"}),
        ]

    assert {answer.status_code for answer in answers} == {503}
    assert "DOVECOTE_BULK_FOLDER" in answers[0].json()["message"]


@pytest.mark.parametrize(
    ("content", "content_type", "filetype", "expected"),
    [
        (FILE, "application/gzip", "jsonl", 415),
        (FILE, "application/json", "jsonl", 415),
        (PACKED, "application/jsonl", "gz", 415),
        (FILE, "application/gzip", "gz", 400),
        (PACKED[:-1], "application/gzip", "gz", 400),
        (PACKED[:-9] + b"\0" * 9, "application/gzip", "gz", 400),
        (PACKED + b"more", "application/gzip", "gz", 400),
        (b"x" * 100_001, "application/jsonl", "jsonl", 413),
        (gzip.compress(b"\n" * 1_000_001, mtime=0), "application/gzip", "gz", 413),
    ],
    ids=[
        "gzip as jsonl",
        "json",
        "jsonl as gzip",
        "no gzip",
        "cut off",
        "wrong sum",
        "rubbish behind",
        "too large",
        "unpacks to too much",
    ],
)
def test_a_wrong_file_is_refused_barely_and_leaves_nothing(bulk_service, content, content_type, filetype, expected):
    bulk_id = new_bulk_id()
    url = address(bulk_service, bulk_id, filetype)
    before = files_of(bulk_service)

    answer = put(url, content, **{"content-type": content_type})

    assert (answer.status_code, answer.headers["content-type"]) == (expected, "text/plain; charset=utf-8")
    assert status(bulk_service, bulk_id)["state"] == "waiting_for_file"
    assert files_of(bulk_service) == before


def test_a_compressed_file_is_no_jsonl(bulk_service):
    headers = {"content-type": "application/jsonl", "content-encoding": "gzip"}
    url = address(bulk_service)

    refused = put(url, PACKED, **headers)
    taken = put(url, FILE, **headers | {"content-encoding": "identity"})

    assert (refused.status_code, refused.text) == (415, "A compressed file needs the filetype gz.\n")
    assert taken.status_code == 200


def test_a_length_is_believed_only_when_it_is_too_much(bulk_service):
    answer = put(address(bulk_service), iter([b"x" * 60_000, b"x" * 60_000]))

    assert answer.status_code == 413


def test_after_a_refused_file_the_right_one_is_taken(bulk_service):
    bulk_id = new_bulk_id()
    url = address(bulk_service, bulk_id, "gz")

    answers = [put(url, content, "gz").status_code for content in (PACKED[:-1], PACKED)]

    assert answers == [400, 200]
    assert wait_for(bulk_service, bulk_id)["accepted"] == 2


def test_an_address_can_be_used_once(service):
    url = address(service)

    answers = [put(url, FILE) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [200, 409]
    assert "already" in answers[1].text


def test_of_two_files_at_the_same_time_one_is_taken(bulk_service):
    bulk_id = new_bulk_id()
    url = address(bulk_service, bulk_id)
    at_once = threading.Barrier(2)

    def slowly():
        yield FILE
        at_once.wait(10)

    codes = []
    threads = [threading.Thread(target=lambda: codes.append(put(url, slowly()).status_code)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(codes) == [200, 409]
    assert wait_for(bulk_service, bulk_id)["accepted"] == 2


def test_an_address_is_valid_for_a_minute(own_service):
    in_time, too_late = address(own_service), address(own_service)

    own_service.clock.move(55 * SECOND)
    first = put(in_time, FILE)
    own_service.clock.move(5 * SECOND)
    second = put(too_late, FILE)

    assert (first.status_code, second.status_code) == (200, 403)


@pytest.mark.parametrize("change", [lambda token: token + "x", lambda token: "x" + token, lambda _: "nothing"])
def test_a_forged_address_is_refused(bulk_service, change):
    root, _, token = address(bulk_service).rpartition("/")

    assert put(f"{root}/{change(token)}", FILE).status_code == 403


def test_a_sender_that_hangs_up_leaves_nothing(bulk_service):
    url = address(bulk_service)
    before = files_of(bulk_service)

    def cut_off():
        yield FILE * 50
        raise ConnectionAbortedError

    with pytest.raises(ConnectionAbortedError):
        put(url, cut_off())

    bulk_service.wait_until(lambda: files_of(bulk_service) == before)
    assert put(url, FILE).status_code == 200


def test_the_same_bulk_id_again_is_refused(own_service):
    body = {"bulk_id": "autumn", "filetype": "jsonl"}
    first = own_service.api.post("/v1/messaging/url", json=body)
    at_once = own_service.api.post("/v1/messaging/url", json=body)

    put(first.json()["url"], FILE)
    own_service.clock.move(HOUR)
    later = own_service.api.post("/v1/messaging/url", json=body)

    assert (at_once.status_code, later.status_code) == (409, 409)
    assert "bulk_id" in later.json()["message"]


def test_a_bulk_id_whose_address_ended_without_a_file_can_be_used_again(service):
    old = address(service, "autumn")
    service.clock.move(61 * SECOND)

    new = address(service, "autumn")

    assert (put(old, FILE).status_code, put(new, FILE).status_code) == (403, 200)


def test_each_key_has_bulk_ids_of_its_own(own_service):
    own_service.add_key("another-key")
    other = own_service.client("another-key")
    body = {"bulk_id": "autumn", "filetype": "jsonl"}

    mine = own_service.api.post("/v1/messaging/url", json=body)
    theirs = other.post("/v1/messaging/url", json=body)

    assert (mine.status_code, theirs.status_code) == (200, 200)


@pytest.mark.parametrize(
    "body",
    [
        {"filetype": "gz"},
        {"bulk_id": "a"},
        {"bulk_id": "", "filetype": "gz"},
        {"bulk_id": "a" * 256, "filetype": "gz"},
        {"bulk_id": "a", "filetype": "zip"},
        {"bulk_id": "a", "filetype": "gz", "datetime": "tomorrow"},
    ],
)
def test_a_wrong_request_for_an_address_is_refused(bulk_service, body):
    answer = bulk_service.api.post("/v1/messaging/url", json=body)

    assert (answer.status_code, list(answer.json())) == (400, ["message"])


def test_only_the_owner_may_look_into_the_folder(bulk_service):
    upload(bulk_service, FILE)

    folder = folder_of(bulk_service)

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "upload.key").stat().st_mode) == 0o600


def test_what_a_dead_process_left_behind_is_deleted_after_an_hour(own_service):
    folder = folder_of(own_service)
    waiting = upload(own_service, FILE, datetime="2099-01-01T00:00:00Z")
    (needed,) = files_of(own_service)
    for name in ("7-left.jsonl", "7-left.jsonl.part", "7-fresh.jsonl"):
        (folder / name).write_bytes(b"x")
    for name in (needed, "7-left.jsonl", "7-left.jsonl.part"):
        os.utime(folder / name, (0, 0))

    os.utime(folder / "7-fresh.jsonl", ((own_service.clock.now() + HOUR) / 1000,) * 2)

    own_service.clock.move(HOUR + SECOND)
    own_service.wait_until(lambda: len(files_of(own_service)) == 2)

    assert files_of(own_service) == sorted([needed, "7-fresh.jsonl"])
    assert status(own_service, waiting)["state"] == "scheduled"


def test_a_bare_error_needs_no_key_and_tells_nothing_of_the_service(bulk_service):
    answer = httpx.put(f"{bulk_service.url}/v1/messaging/upload/x", content=b"", timeout=20)

    assert answer.text == "The address is not one of this service, or has expired.\n"
