"""A box is known by its facts, and what was made with another is refused."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest

from shakespeare_env.checks.box_files import facts_digest
from shakespeare_env.core import registry
from shakespeare_env.core.registry import game_with_digest
from shakespeare_env.datasets import read_decisions, read_games
from shakespeare_env.errors import BoxError, DatasetError
from tests.contract import knowledge
from tests.contract.batches import games
from tests.contract.command_line import refusal_of
from tests.contract.processes import run_script
from tests.contract.small_datasets import write_small_dataset

one_game = pytest.mark.parametrize("name", registry.names()[-1:])


def bundled(name):
    return registry.folder(name) / "box.toml"


def digest(name, path):
    return facts_digest(bundled(name).parent, path)


@pytest.fixture
def copy(name, tmp_path):
    """Write an edited copy of a game's own box."""

    def write(edit):
        path = tmp_path / "mine.toml"
        path.write_text(edit(bundled(name).read_text(encoding="utf-8")), encoding="utf-8")
        return path

    return write


@games
def test_comments_sources_and_the_order_of_tables_do_not_count(name, copy):
    own = registry.box_digest(name)
    sections = re.compile(r"^(?=\[\w+\]$)", re.MULTILINE)
    for edit in (
        lambda text: text,
        lambda text: "\ufeff" + text,  # as some editors write
        lambda text: "# a comment\n" + text,
        lambda text: re.sub('source = ".*"', 'source = "seen"', text),
        lambda text: "".join(reversed(sections.split(text))),
    ):
        assert digest(name, copy(edit)) == own


@games
def test_every_fact_counts(name, copy):
    text = bundled(name).read_text(encoding="utf-8")
    seen = {registry.box_digest(name)}
    numbers = [m for m in re.finditer(r"(?<== )\d+(?= |,|$)", text, re.M) if m[0] != "0"]
    assert len(numbers) > 5
    for number in numbers[::4]:
        more = text[: number.start()] + str(int(number[0]) + 1) + text[number.end() :]
        try:
            found = digest(name, copy(lambda _, more=more: more))
        except BoxError:
            continue  # inside a comment or a key that is then there twice
        if tomllib.loads(more) != tomllib.loads(text):
            assert found not in seen
            seen.add(found)


@one_game
def test_seats_and_a_box_that_does_not_fit_are_told_without_loading_the_game(name, copy):
    changes = knowledge.of(name, "box_changes")
    box = copy(lambda text: text.replace(changes.OLD, changes.NEW[0][0]))
    own = digest(name, bundled(name))
    variable = f"{name.upper()}_BOX"
    script = (
        "import json, sys; from shakespeare_env import Batch, Position, env, registry\n"
        "assert registry.seats(sys.argv[1])\n"
        "faults = [registry.box_mismatch(sys.argv[1], digest) for digest in sys.argv[2:]]\n"
        "loaded = [module for module in sys.modules if f'env.{sys.argv[1]}' in module]\n"
        "print(json.dumps([*faults, loaded]))"
    )
    in_force: Any = {variable: str(box)}
    told = json.loads(run_script(script, name, own, digest(name, box), **in_force))
    assert str(box) in told[0]
    assert variable in told[0]
    assert told[1:] == [None, []]
    assert game_with_digest(name, own) is registry.game(name)
    with pytest.raises(BoxError):
        game_with_digest(name, "0" * 64)


@one_game
def test_a_dataset_names_the_box_it_was_played_with_and_keeps_a_copy(name, copy, tmp_path):
    """But not the package's own."""
    changes = knowledge.of(name, "box_changes")
    variable = f"{name.upper()}_BOX"
    dataset = tmp_path / "dataset"
    kept = tmp_path / "kept"
    write_small_dataset(dataset, name, deals=1)
    assert not (dataset / "box.toml").exists()
    manifest = dataset / "arena.json"
    manifest.write_text(manifest.read_text().replace(registry.box_digest(name), "0" * 64))
    for read in (read_games, read_decisions):
        with pytest.raises(DatasetError, match=variable):
            read(dataset)
    assert variable in refusal_of("replay", str(dataset), "--list")
    box = copy(lambda text: text.replace(changes.OLD, changes.NEW[0][0]))
    command = ["dataset", "random", "--game", name, "--games", "3", "--out", str(kept)]
    in_force: Any = {variable: str(box), "NUMBA_DISABLE_JIT": "1"}
    run_script(f"from shakespeare_env.cli import app; app({command})", **in_force)
    assert (kept / "box.toml").read_bytes() == box.read_bytes()
    with pytest.raises(DatasetError, match=f"set {variable} to {kept / 'box.toml'}"):
        read_games(kept)
