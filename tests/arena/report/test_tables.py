"""An arena's standings in the terminal, and as Markdown tables and a picture for a README."""

import io
import re
from xml.etree import ElementTree

import pytest
from rich.console import Console

from shakespeare_agents.arena.leaderboard import ladder_markdown, ladder_svg
from shakespeare_agents.arena.report.tables import standings_tables
from shakespeare_agents.arena.wording import SHARED_RANK, shown_name
from tests.arena.report.made_standings import HOSTILE, NAMES, made_standings

pytestmark = pytest.mark.usefixtures("few_replicates")
SIGNS = {"stronger": ">", "open": "?", "equal": "="}


def printed(standings) -> str:
    """In 80 columns, whatever the names are, and each gap one space wide."""
    text = io.StringIO()
    Console(file=text, width=80, color_system=None).print(standings_tables(standings))
    assert all(sign.isprintable() or sign == "\n" for sign in text.getvalue())
    assert max(map(len, text.getvalue().splitlines())) <= 80
    return re.sub(" +", " ", text.getvalue())


def figure(row, name, of="", digits=0):
    """With its interval."""
    shown = (f"{row[column]:.{digits}f}" for column in (name, f"{of}low", f"{of}high"))
    return "{} ({} to {})".format(*shown).replace("-", "−")


def ladder_row(standings, players):
    """The second agent's cells."""
    row = standings.ladders()[players].row(1, named=True)
    figures = figure(row, "rating"), figure(row, "lead", "lead_"), SIGNS[row["verdict"]]
    milliseconds = standings.milliseconds(players)[row["agent"]]
    return [row["rank"], row["agent"], *figures, f"{row['games']:,}", f"{milliseconds:.1f}"]


def test_all_figures_stand_in_the_terminal():
    standings = made_standings(NAMES, tables=(2, 3))
    text = printed(standings)
    assert re.findall(r"figaro, (\d) seat", text) == ["2", "3", "1"]
    assert "\n" + " ".join(ladder_row(standings, 2)) in text
    solo = standings.solo.row(1, named=True)
    leads = figure(solo, "mean", digits=1), figure(solo, "lead", "lead_", digits=1)
    assert "\n" + " ".join([solo["rank"], solo["agent"], *leads, SIGNS[solo["verdict"]]]) in text
    mean = text[text.index("Mean of the ladders for 2 and 3 seats") :].splitlines()
    row = standings.combined.row(1, named=True)
    assert mean[4].strip() == f"{row['agent']} {figure(row, 'rating')}"
    order = standings.ladders()[2]["agent"].to_list()
    pairs = standings.pairs.filter(players=2, agent=order[1]).rows_by_key("other", named=True)
    matrix = text[text.index("Ahead of, %") :].splitlines()
    line = next(line for line in matrix if order[1] in line)
    met = [pairs[other][0]["ahead"] for other in order if other in pairs]
    assert line.split() == ["2", order[1], *(f"{100 * share:.0f}" for share in met)]
    fault = standings.faults.row(0, named=True)
    assert f"{fault['agent']} {fault['fault']} {fault['count']} {fault['example']}" in text


@pytest.mark.parametrize("sure", [True, False])
def test_fields_that_only_play_alone_or_have_no_intervals(sure):
    text = printed(made_standings(("a", "b"), tables=(), sure=sure))
    assert "1 seat" in text
    assert "Elo" not in text
    assert (" to " in text) == sure
    assert printed(made_standings(())).strip() == "No game has been finished yet."


def test_names_are_no_markup_and_end_no_cell():
    assert "[bold]x[/bold]" in printed(made_standings(HOSTILE))
    lines = ladder_markdown(made_standings(HOSTILE)).splitlines()[2 : len(HOSTILE) + 4]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {7}
    assert r"`` \|`*_[a](b) ``" in lines[7]
    assert all(line.isprintable() for line in lines)
    assert shown_name("runs/" + "x" * 90 + "/final", 20) == "runs/xxxxx…xxx/final"
    assert shown_name("x" * 20, 20) == "x" * 20


def test_markdown_has_a_row_for_each_agent():
    standings = made_standings(NAMES, tables=(3,), alone=False)
    lines = ladder_markdown(standings).splitlines()
    assert lines[2] == "| # | Agent | Elo | Lead on the next | Games | ms a decision |"
    rank, agent, rating, lead, _, games, milliseconds = ladder_row(standings, 3)
    assert lines[5] == f"| {rank} | `{agent}` | {rating} | {lead} | {games} | {milliseconds} |"
    assert [line.split(" | ")[0][2:] for line in lines[4:9]] == standings.ladder["rank"].to_list()
    assert lines[9:] == ["", SHARED_RANK]
    text = ladder_markdown(made_standings(NAMES, tables=(2, 3, 4)))
    assert re.findall(r"^(\d) seats?,", text, re.MULTILINE) == ["2", "3", "4", "1"]
    assert "| Agent | Mean of the ladders for 2, 3 and 4 seats, Elo |" in text
    alone = made_standings(NAMES, tables=())
    assert f"| {figure(alone.solo.row(1, named=True), 'mean', digits=1)} |" in ladder_markdown(
        alone
    )
    assert ">Mean score<" in ladder_svg(alone)


@pytest.mark.parametrize(("names", "sure"), [(NAMES, True), (HOSTILE, False), (("a",), True)])
def test_the_picture_needs_nothing_else_and_orders_the_agents(names, sure):
    text = ladder_svg(made_standings(names, tables=(2,), alone=False, sure=sure))
    root = ElementTree.fromstring(text)
    elements = [(element.tag.split("}")[1], element) for element in root.iter()]
    assert {tag for tag, _ in elements} <= {"svg", "title", "rect", "text", "line", "circle"}
    assert "href" not in text
    dots = [element for tag, element in elements if tag == "circle"]
    assert len(dots) == len(names)
    across = [float(dot.get("cx", "")) for dot in dots]
    assert across == sorted(across, reverse=True)
    # It has a ground of its own: it is read on light and on dark pages.
    assert [root[1].get(side) for side in ("width", "height")] == [
        root.get(side) for side in ("width", "height")
    ]
    # Verdicts stand between the rows.
    rows = [float(dot.get("cy", "")) for dot in dots]
    signs = [float(e.get("y", "")) for _, e in elements if e.text in (">", "?", "=")]
    assert len(signs) == len(names) - 1
    assert all(above < y < below for y, above, below in zip(signs, rows, rows[1:], strict=False))
