"""The table of every game's rules is complete, and names functions and tests that exist."""

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

import shakespeare_env
from shakespeare_env.core import registry
from tests.contract import knowledge

PACKAGE = Path(shakespeare_env.__file__).parent
TESTS = Path(__file__).parents[2]
games = pytest.mark.parametrize("game", registry.names())


def rows_of(game):
    """The lines of a game's `RULES.md`: rule, what it says, functions, tests."""
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (PACKAGE / game / "RULES.md").read_text(encoding="utf-8").splitlines()
        if re.match(r"\| [A-Z]\d", line)
    ]


def rule_of(row):
    return row[0].split()[0]


def names_in(file):
    """Names of the test functions of a file."""
    return re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)


@games
def test_every_rule_has_a_line(game):
    assert {rule_of(row) for row in rows_of(game)} == knowledge.of(game, "facts").RULES


@games
def test_the_tests_and_functions_of_every_rule_exist(game):
    for row in rows_of(game):
        file, *patterns = re.findall(r"`([^`]+)`", row[3])
        assert patterns, row
        for pattern in patterns:
            found = (fnmatch(name, pattern) for name in names_in(TESTS / game / "rules" / file))
            assert any(found), (row[0], pattern)
        functions = re.findall(r"`([^`]+)`", row[2])
        assert functions, row
        for function in functions:
            file, _, name = function.rpartition(".")
            sources = [PACKAGE / game / f"{file}.py", PACKAGE / f"{file}.py"]
            text = next(path for path in sources if path.exists()).read_text(encoding="utf-8")
            assert re.search(rf"^ *def {name}\(", text, re.MULTILINE), (row[0], function)


@games
def test_every_rule_test_is_named_after_a_line(game):
    table = rows_of(game)
    files = sorted((TESTS / game / "rules").glob("test_*_rules.py"))
    assert files
    for path in files:
        shown = [row[3] for row in table if f"`{path.name}`" in row[3]]
        patterns = [p for cell in shown for p in re.findall(r"`(test_\w+\*?)`", cell)]
        for name in names_in(path):
            rule = name.split("_")[1]
            assert any(rule_of(row).lower() == rule for row in table), name
            assert any(fnmatch(name, pattern) for pattern in patterns), name
