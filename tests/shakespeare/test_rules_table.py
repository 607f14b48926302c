"""The table of rules is complete, and names tests that exist."""

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

import shakespeare_env

HERE = Path(__file__).parent
PACKAGE = Path(shakespeare_env.__file__).parent
TABLE = PACKAGE / "shakespeare" / "RULES.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TABLE.read_text(encoding="utf-8").splitlines()
    if re.match(r"\| [A-Z]\d", line)
]
# Section -> number of its last rule.
SECTIONS = {
    "S": 6, "W": 4, "T": 18, "M": 3, "R": 2, "U": 3, "P": 4, "F": 4, "V": 4, "D": 3,
}  # fmt: skip


def names_in(file):
    """Names of the test functions of a file."""
    return re.findall(r"^def (test_\w+)", (HERE / file).read_text(encoding="utf-8"), re.MULTILINE)


def test_every_rule_has_a_line():
    listed = {row[0].split()[0] for row in ROWS}
    numbered = {f"{section}{n}" for section in SECTIONS for n in range(1, SECTIONS[section] + 1)}
    assert listed == numbered | {"F1a"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_tests_of_a_rule_exist(row):
    file, *patterns = re.findall(r"`([^`]+)`", row[3])
    assert patterns
    for pattern in patterns:
        assert any(fnmatch(name, pattern) for name in names_in(file)), pattern


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_functions_of_a_rule_exist(row):
    functions = re.findall(r"`([^`]+)`", row[2])
    assert functions
    for function in functions:
        file, _, name = function.rpartition(".")
        sources = [PACKAGE / "shakespeare" / f"{file}.py", PACKAGE / f"{file}.py"]
        source = next(path for path in sources if path.exists())
        text = source.read_text(encoding="utf-8")
        assert re.search(rf"^ *def {name}\(", text, re.MULTILINE), function


def test_every_rule_test_is_named_after_a_line():
    for path in HERE.glob("test_*_rules.py"):
        for name in names_in(path.name):
            rule = name.split("_")[1]
            assert any(row[0].split()[0].lower() == rule for row in ROWS), name
            shown = [row[3] for row in ROWS if f"`{path.name}`" in row[3]]
            patterns = [p for cell in shown for p in re.findall(r"`(test_\w+\*?)`", cell)]
            assert any(fnmatch(name, pattern) for pattern in patterns), name
