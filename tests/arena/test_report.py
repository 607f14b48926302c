"""An arena's report: one HTML file that shows what the standings say, whatever the names are."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser

import polars as pl
import pytest

from shakespeare_agents.arena.report import About, about_results, palette, report_html, write_report
from shakespeare_agents.arena.report.axes import linear, logarithmic
from shakespeare_agents.arena.report.histograms import histograms
from shakespeare_agents.arena.report.speed import planes
from tests.arena.made_standings import HOSTILE, made_standings
from tests.arena.simulated_results import simulated

NAMES = ("search,simulations=256", "network", "heuristic", "greedy", "random")
ABOUT = About(
    title="Shakespeare: who is strongest",
    command="shakespeare arena field.toml",
    field='game = "shakespeare"\n',
    seeds=(0, 7),
    versions={"shakespeare-env": "0.1.0"},
    box_digest="4535cb24",
    when=datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
)
SECTIONS = "ladder solo matrix differences tables scores speed cycles balance faults reproduce"


class Page(HTMLParser):
    """A page taken apart; refuses what is not well-formed.

    Attributes:
        elements: Tags with their attributes, in order.
        texts: What stands in elements of a class or, where there is none, of a tag.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[tuple[str, str]] = []
        self.feed(html)
        self.close()
        assert not self._open

    def handle_starttag(self, tag, attrs):
        named = {name: value or "" for name, value in attrs}
        assert len(named) == len(attrs), f"{tag} has an attribute twice"
        self.elements.append((tag, named))
        if tag not in {"meta", "link", "wbr"}:
            key = named.get("class", tag)
            self._open.append((tag, key))
            self.texts.setdefault(key, []).append("")

    def handle_endtag(self, tag):
        assert self._open.pop()[0] == tag

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_data(self, data):
        for _, key in self._open:
            self.texts[key][-1] += data

    def every(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def sections(self) -> list[str]:
        return [section["aria-labelledby"] for section in self.every("section")]


def page(*names, about=ABOUT, **how) -> Page:
    return Page(report_html(made_standings(names, **how), about))


@pytest.fixture(scope="module")
def whole() -> Page:
    return page(*NAMES)


def test_everything_has_a_section_and_the_contents_lead_there(whole):
    assert whole.sections == SECTIONS.split()
    ids = [attributes["id"] for _, attributes in whole.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = [a["href"] for tag, a in whole.elements if tag in ("a", "use")]
    assert {f"#{section}" for section in SECTIONS.split()} <= set(targets)
    assert {target[1:] for target in targets} <= set(ids)


def test_nothing_is_fetched_and_nothing_runs(whole):
    assert not whole.every("script")
    for _, attributes in whole.elements:
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("src", "href", "data", "action"):
            assert attributes.get(name, "#")[0] == "#" or attributes[name] == "data:,"
    assert not re.search(r"url\(|@import|http", "".join(whole.texts["style"]))
    policy = next(meta["content"] for meta in whole.every("meta") if "http-equiv" in meta)
    assert "default-src 'none'" in policy


def test_tables_and_figures_can_be_read_aloud(whole):
    assert len(whole.every("table")) == len(whole.every("caption")) > 5
    assert all("scope" in heading for heading in whole.every("th"))
    for attributes in whole.every("svg"):
        if "viewbox" not in attributes:  # the others stand in one that is named
            assert attributes.get("role") == "img" or attributes.get("aria-hidden") == "true"
    levels = [int(tag[1]) for tag, _ in whole.elements if tag in ("h1", "h2", "h3")]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


def test_the_ladder_shows_ratings_leads_and_verdicts(whole):
    rows = [re.split(r"\s{0,}\n", text) for text in whole.texts["num strong"][:5]]
    assert [row[0] for row in rows] == ["120", "60", "0", "−60", "−120"]
    ranks = [text for text in whole.texts["rank"] if text != "1"][:4]
    assert ranks == ["2=", "2=", "2=", "5"]
    assert whole.texts["verdict stronger"] == ["stronger"] * 6
    assert whole.texts["verdict open"] == ["open"] * 3
    assert "search,simulations=256: 120 (100 to 140)" in whole.texts["title"]


def test_the_matrix_says_and_colours_who_finishes_ahead():
    standings = made_standings(("a", "b", "c"))
    odd = (pl.col("agent") == "a") & (pl.col("other") == "c")
    shifted = pl.when(odd).then(pl.col("expected") - 0.1).otherwise("expected")
    pairs = standings.pairs.with_columns(expected=shifted)
    shown = Page(report_html(replace(standings, pairs=pairs), ABOUT))
    cells = [a for a in shown.every("td") if "heat" in a.get("class", "")][:6]
    steps = [int(cell["class"].split()[0][5:]) for cell in cells]
    assert [step - 4 for step in steps] == [1, 1, -1, 1, -1, -1]
    assert [("surprising" in cell["class"]) for cell in cells] == [False, True, *[False] * 4]
    assert cells[0]["title"] == "a ahead of b: 58.5 % (53.5 to 63.5), expected 58.5 %; 100 games"
    assert shown.texts[cells[0]["class"]][0] == "59"


def test_names_that_mean_something_to_html_are_text():
    plain = page(*[f"agent,{number}" for number in range(len(HOSTILE))])
    about = replace(ABOUT, title=HOSTILE[0], command=HOSTILE[1], field=HOSTILE[4] + "\n\x00")
    html = report_html(made_standings(HOSTILE), about)
    shown = Page(html)
    tags, names = (
        [{part for element in found.elements for part in take(element)} for found in (shown, plain)]
        for take in (lambda element: element[:1], lambda element: element[1])
    )
    assert tags[0] == tags[1]
    assert names[0] == names[1]
    assert shown.texts["h1"] == [HOSTILE[0]]
    assert {*HOSTILE[:4], HOSTILE[5]} <= set(shown.texts["name"])
    assert all(sign.isprintable() or sign == "\n" for sign in html)
    assert max(map(len, shown.texts["name"])) <= 400


@pytest.mark.parametrize(
    ("names", "how", "left_out"),
    [
        (("a", "b"), {"tables": ()}, "ladder matrix differences tables cycles balance"),
        (("a", "b"), {"alone": False}, "solo cycles"),
        (("a", "b", "c"), {"tables": (3,), "sure": False}, ""),
        (("a",), {}, "matrix differences cycles"),
        ((), {}, SECTIONS.removesuffix(" reproduce")),
    ],
)
def test_what_there_is_nothing_of_is_left_out(names, how, left_out):
    expected = [section for section in SECTIONS.split() if section not in left_out.split()]
    assert page(*names, **how).sections == expected


def test_a_field_of_twelve_stays_below_a_megabyte():
    twelve = made_standings([f"search,simulations={2**n}" for n in range(12)], tables=(2, 3, 4))
    assert len(report_html(twelve, ABOUT).encode()) < 2**20


def test_it_says_how_to_reproduce_the_games(whole):
    code = " ".join(whole.texts["code"])
    for fact in (ABOUT.command, ABOUT.field.strip(), ABOUT.box_digest, f"{0:064x}"):
        assert fact in code
    assert whole.texts["dd"] == ["0, 7", "0.1.0", "4535cb24", "2026-01-02 03:04 UTC"]


@pytest.mark.parametrize(
    ("agents", "command"),
    [
        ('"heuristic", "random"', "shakespeare arena field.toml"),
        ('"random", {program = ["python3", "mine.py"]}', "shakespeare arena field.toml --trust"),
        ('"random", "mine.py:Mine"', "shakespeare arena field.toml --trust"),
    ],
)
def test_where_results_come_from_is_read_from_their_folder(tmp_path, agents, command):
    """Without --trust the command would refuse what the field names."""
    results = simulated({"a": 10, "b": 0}, tables=(2,), matches=2, seed=5)
    results.write_parquet(tmp_path / "games-000001.parquet")
    field = f'game = "figaro"\nagents = [{agents}]\n'
    (tmp_path / "field.toml").write_text(field)
    about = about_results(tmp_path, results)
    assert (about.title, about.field, about.seeds) == ("Figaro: who is strongest", field, (5,))
    assert (about.box_digest, about.versions) == ("b0", {"shakespeare-env": "0.1.0"})
    assert about.command == command
    write_report(made_standings(NAMES), about, tmp_path / "report.html")
    assert about_results(tmp_path, results) == about
    shown = (tmp_path / "report.html").read_text("utf-8")
    assert shown == report_html(made_standings(NAMES), about)
    assert ("look at them first" in shown) == command.endswith("--trust")


# ----------------------------------------------------------------------------------------- figures


def test_axes_hold_all_values_and_have_round_ticks():
    axis = linear([-430, None, float("nan"), 310])
    assert [text for _, text in axis.ticks] == ["−400", "−200", "0", "200"]
    assert axis.low < -430 < 310 < axis.high
    assert (axis.at(axis.low), axis.at(axis.high), axis.at(9999)) == ("0.00%", "100.00%", "100.00%")
    powers = logarithmic([0.02, 35.0, 0.0, None])
    assert [text for _, text in powers.ticks] == ["0.01", "0.1", "1", "10", "100"]
    for hardly_any in (linear([]), linear([3.0]), logarithmic([]), logarithmic([3.0])):
        assert hardly_any.low < hardly_any.high
        assert len(hardly_any.ticks) >= 2


def test_bars_are_as_high_as_scores_are_frequent():
    rows = {"players": [1] * 3, "agent": ["a"] * 3, "score": [-1, 0, 2], "count": [2, 4, 1]}
    (table,) = histograms(pl.DataFrame(rows), {1: ["b", "a"]})
    (found,) = table.each
    assert (found.games, found.mean) == (7, 0.0)
    # Four scores from -1.5 to 2.5, and 3 % of that at both ends.
    assert table.width == pytest.approx(4 * 1.06)
    assert found.path == "M0.12 100v-50.0h1v50.0zM1.12 100v-100.0h1v100.0zM3.12 100v-25.0h1v25.0z"
    many = {"players": 1, "agent": "a", "score": range(-100, 200), "count": 1}
    (table,) = histograms(pl.DataFrame(many), {1: ["a"]})
    assert table.each[0].path.count("M") <= 65


def test_nobody_stands_above_the_frontier():
    names = [f"agent {number}" for number in range(9)]
    standings, shown = made_standings(names), {name: name for name in names}
    # The strongest is the fastest: nobody else is worth waiting for.
    assert [point.agent for point in planes(standings, shown)[0].frontier] == ["agent 0"]
    slower = standings.times.with_columns(milliseconds=1 / pl.col("milliseconds"))
    slow = replace(standings, times=slower)
    assert [point.agent for point in planes(slow, shown)[0].frontier] == names[::-1]
    # Names without room are left to the list.
    alike = replace(standings, times=standings.times.with_columns(milliseconds=1.0))
    long = {name: name * 20 for name in names}
    assert not any(point.side for point in planes(alike, long)[0].points)
    assert planes(replace(standings, times=standings.times.clear()), shown) == []


@pytest.mark.parametrize(("theme", "colours"), [("light", palette.LIGHT), ("dark", palette.DARK)])
def test_texts_and_marks_are_seen_on_their_grounds(theme, colours):
    # The darkest grey that fails on white, as often quoted.
    assert palette.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    for ground in ("page", "panel", "shade"):
        for ink in ("ink", "muted", "accent", "warn"):
            assert palette.contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    for mark in ("interval", "bars", "accent"):
        for ground in ("page", "panel"):
            assert palette.contrast(colours[mark], colours[ground]) >= 3, mark
    for ground, ink in palette.heat(theme):
        assert palette.contrast(ink, ground) >= 4.5, ground
