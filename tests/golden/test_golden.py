"""Seeded games go, are shown and are played as before (see `regenerate.py`, `digests.py`)."""

import difflib

import pytest

from tests.golden.digests import few, kept
from tests.golden.regenerate import FOLDER, golden_files, playthrough

SHOWN = 60
FILES = golden_files()


@pytest.mark.parametrize(("file", "table"), FILES.items(), ids=map(str, FILES.values()))
def test_a_game_goes_as_before(file, table):
    kept = file.read_text(encoding="utf-8").splitlines()
    played = [*playthrough(table)]
    if played != kept:
        lines = [*difflib.unified_diff(kept, played, "kept", "played now", lineterm="", n=2)]
        advice = (
            "If that is meant, run `make golden`, and look at the difference before you keep it."
        )
        pytest.fail("\n".join(["", *lines[:SHOWN], advice]), pytrace=False)


def test_there_is_a_file_for_every_table_and_no_other():
    assert set(FOLDER.iterdir()) == set(FILES)


def test_a_thousand_games_and_the_networks_choices_are_as_before():
    before = kept()
    assert not [name for name, digest in few().items() if before.get(name) != digest]
