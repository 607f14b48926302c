"""A box is known by its facts, and what was made with another is refused in words."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from shakespeare_env.checks.box_files import differing_facts, facts_digest
from shakespeare_env.core import registry
from shakespeare_env.errors import BoxError
from tests.contract import knowledge
from tests.contract.batches import games


def bundled(name):
    return Path(registry.__file__).parents[1] / name / "box.toml"


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
    for number in numbers:
        more = text[: number.start()] + str(int(number[0]) + 1) + text[number.end() :]
        try:
            found = digest(name, copy(lambda _, more=more: more))
        except BoxError:
            continue  # inside a comment or a key that is then there twice
        if tomllib.loads(more) != tomllib.loads(text):
            assert found not in seen
            seen.add(found)


@games
def test_a_box_that_does_not_fit_is_named_in_words_without_loading_the_game(name, copy):
    """The message names the facts that differ where one of the two is the package's own."""
    changes = knowledge.of(name, "box_changes")
    box = copy(lambda text: text.replace(changes.OLD, changes.NEW[0][0]))
    own, variable = digest(name, bundled(name)), f"{name.upper()}_BOX"
    script = (
        "import json, sys; from shakespeare_env import registry\n"
        "faults = [registry.box_fault(sys.argv[1], digest) for digest in sys.argv[2:]]\n"
        "print(json.dumps([*faults, list(registry._loaded)]))"
    )

    def told(*digests, **environment):
        command = [sys.executable, "-c", script, name, *digests]
        environment = {**os.environ, **environment}
        return json.loads(subprocess.check_output(command, text=True, env=environment))

    (key,) = differing_facts(bundled(name).parent, box)
    assert key.rpartition(".")[2] in changes.OLD
    assert told(own, digest(name, box), "0" * 64, **{variable: str(box)}) == [
        f"made with the package's own box, but {box} is in force, which differs in {key}; "
        f"unset {variable}",
        None,
        f"made with another box than {box}, which is in force; set {variable} to the box it was "
        "made with",
        [],
    ]
    other = f"made with another box than the package's own, which is in force; set {variable} to"
    assert told(digest(name, box))[0].startswith(other)
    assert registry.game_saved(name, own) is registry.game(name)
    with pytest.raises(BoxError, match="another box"):
        registry.game_saved(name, "0" * 64)
