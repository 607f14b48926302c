"""Ladders for a README: Markdown tables and a picture."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from shakespeare_agents.arena.leaderboard import ladder_markdown, ladder_svg
from shakespeare_agents.arena.wording import SHARED_RANK
from tests.arena.made_standings import HOSTILE, made_standings

NAMES = ("search,simulations=256", "network", "heuristic", "random")


def test_the_table_has_a_row_for_each_agent():
    lines = ladder_markdown(made_standings(NAMES, tables=(3,), alone=False)).splitlines()
    assert lines[0] == "3 seats, 1,335 games:"
    assert lines[2] == "| # | Agent | Elo | Lead on the next | Games | ms a decision |"
    assert lines[5] == "| 2= | `network` | 30 (10 to 50) | 60 (30 to 90) | 1,001 | 0.40 |"
    assert [line[:5] for line in lines[4:8]] == ["| 1 |", "| 2= ", "| 2= ", "| 2= "]
    assert lines[8:] == ["", SHARED_RANK]


def test_each_table_has_its_own_and_their_mean_is_called_that():
    text = ladder_markdown(made_standings(NAMES, tables=(2, 3, 4)))
    assert re.findall(r"^(\d) seats?,", text, re.MULTILINE) == ["2", "3", "4", "1"]
    assert "| Agent | Mean of the ladders for 2, 3 and 4 seats, Elo |" in text
    assert "| `network` | 30 (15 to 45) |" in text
    assert "Mean of" not in ladder_markdown(made_standings(NAMES, tables=(2,)))


def test_a_field_that_only_plays_alone_has_scores():
    lines = ladder_markdown(made_standings(NAMES, tables=())).splitlines()
    assert (
        lines[4]
        == "| 1 | `search,simulations=256` | 30.0 (29.5 to 30.5) | 1.0 (0.5 to 1.5) | 30.0 | 100 |"
    )
    assert ">Mean score<" in ladder_svg(made_standings(NAMES, tables=()))


def test_no_name_ends_its_cell():
    lines = ladder_markdown(made_standings(HOSTILE)).splitlines()[2 : len(HOSTILE) + 4]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {7}
    assert r"`` \|`*_[a](b) ``" in lines[7]
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("names", [NAMES, HOSTILE, ("a",)])
@pytest.mark.parametrize("sure", [True, False])
def test_the_picture_is_one_that_needs_nothing_else(names, sure):
    text = ladder_svg(made_standings(names, sure=sure))
    root = ElementTree.fromstring(text)
    tags = {element.tag.split("}")[1] for element in root.iter()}
    assert tags <= {"svg", "title", "rect", "text", "line", "circle"}
    assert "href" not in text
    assert sum(element.tag.endswith("circle") for element in root.iter()) == 3 * len(names)
    # It has a ground of its own: it is read on light and on dark pages.
    ground = root[1]
    assert (ground.get("width"), ground.get("height")) == (root.get("width"), root.get("height"))


def test_the_strongest_stands_rightmost_and_verdicts_between_rows():
    root = ElementTree.fromstring(ladder_svg(made_standings(NAMES, tables=(2,), alone=False)))
    dots = [element for element in root.iter() if element.tag.endswith("circle")]
    across = [float(dot.get("cx", "")) for dot in dots]
    assert across == sorted(across, reverse=True)
    signs = {e.text: float(e.get("y", "")) for e in root.iter() if e.text in (">", "?", "=")}
    rows = [float(dot.get("cy", "")) for dot in dots]
    assert all(
        above < y < below for y, above, below in zip(signs.values(), rows, rows[1:], strict=False)
    )
    assert list(signs) == [">", "?", "="]
