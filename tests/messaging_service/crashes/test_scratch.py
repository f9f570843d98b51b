"""Folders of a running process, and what killed ones leave."""

import os
import tempfile

import pytest

from messaging_service.running.scratch import folder_while_running

LONG_AGO = 1_000_000_000


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def aged(folder):
    os.utime(folder, (LONG_AGO, LONG_AGO))
    return folder


def test_the_folder_is_its_owner_s_and_goes_with_the_block(place):
    with folder_while_running("counts-") as folder:
        (folder / "file").touch()
        mode = folder.stat().st_mode & 0o777

    assert mode == 0o700
    assert list(place.iterdir()) == []


def test_what_a_killed_process_left_is_removed(place):
    left = place / "counts-left"
    left.mkdir()
    (left / "file").touch()
    aged(left)

    with folder_while_running("counts-") as folder:
        assert list(place.iterdir()) == [folder]

    assert not left.exists()


def test_the_folder_of_a_living_process_stays():
    with folder_while_running("counts-") as living:
        aged(living)

        with folder_while_running("counts-"):
            pass

        assert living.exists()


def test_a_folder_that_may_be_about_to_be_locked_and_those_of_others_stay(place):
    (place / "counts-young").mkdir()
    (place / "others").mkdir()
    aged(place / "others")

    with folder_while_running("counts-"):
        pass

    assert {path.name for path in place.iterdir()} == {"counts-young", "others"}
