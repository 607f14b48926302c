"""An arena's report: one HTML file that shows what the standings say, whatever the names are."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser

import polars as pl
import pytest

from shakespeare_agents.arena.report import About, about_results, report_html, write_report
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
VOID = {"meta", "link", "wbr"}
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
        if tag not in VOID:
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
    assert {target[1:] for target in targets} <= set(ids)
    assert {f"#{section}" for section in whole.sections} <= set(targets)


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
    tables, captions = whole.every("table"), whole.every("caption")
    assert len(tables) == len(captions) > 5
    assert all("scope" in heading for heading in whole.every("th"))
    for tag, attributes in whole.elements:
        if tag == "svg" and "viewbox" not in attributes:  # the others stand in one that is named
            assert attributes.get("role") == "img" or attributes.get("aria-hidden") == "true"
    assert len(whole.texts["title"]) == 1 + sum(
        tag == "svg" and a.get("role") == "img" for tag, a in whole.elements
    ) + sum(tag == "g" and a.get("class", "").startswith("point") for tag, a in whole.elements)
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
    dots = [float(a["cx"][:-1]) for tag, a in whole.elements if a.get("class") == "dot"][:5]
    assert dots == sorted(dots, reverse=True)


def test_the_matrix_says_and_colours_who_finishes_ahead():
    standings = made_standings(("a", "b", "c"))
    odd = (pl.col("agent") == "a") & (pl.col("other") == "c")
    shifted = pl.when(odd).then(pl.col("expected") - 0.1).otherwise("expected")
    pairs = standings.pairs.with_columns(expected=shifted)
    shown = Page(report_html(replace(standings, pairs=pairs), ABOUT))
    cells = [a for tag, a in shown.elements if tag == "td" and "heat" in a.get("class", "")][:6]
    steps = [int(cell["class"].split()[0][5:]) for cell in cells]
    assert [step - 4 for step in steps] == [1, 1, -1, 1, -1, -1]
    assert [("surprising" in cell["class"]) for cell in cells] == [False, True, *[False] * 4]
    assert cells[0]["title"] == "a ahead of b: 58.5 % (53.5 to 63.5), expected 58.5 %; 100 games"
    assert shown.texts[cells[0]["class"]][0] == "59"
    assert "In 1 of 3 pairs the interval" in " ".join("".join(shown.texts["p"]).split())


def test_names_that_mean_something_to_html_are_text():
    plain = page(*[f"agent,{number}" for number in range(len(HOSTILE))])
    about = replace(ABOUT, title=HOSTILE[0], command=HOSTILE[1], field=HOSTILE[4] + "\n\x00")
    standings = made_standings(HOSTILE)
    html = report_html(standings, about)
    shown = Page(html)
    kinds = [{tag for tag, _ in found.elements} for found in (shown, plain)]
    assert kinds[0] == kinds[1]
    assert {name for _, a in shown.elements for name in a} == {
        n for _, a in plain.elements for n in a
    }
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
    assert page(*names, **how).sections == [
        s for s in SECTIONS.split() if s not in left_out.split()
    ]


def test_a_field_of_twelve_stays_below_a_megabyte():
    twelve = made_standings([f"search,simulations={2**n}" for n in range(12)], tables=(2, 3, 4))
    assert len(report_html(twelve, ABOUT).encode()) < 2**20


def test_it_tells_how_to_reproduce_the_games(whole):
    code = " ".join(whole.texts["code"])
    for fact in (ABOUT.command, ABOUT.field.strip(), ABOUT.box_digest, f"{0:064x}"):
        assert fact in code
    assert whole.texts["dd"] == ["0, 7", "0.1.0", "4535cb24", "2026-01-02 03:04 UTC"]


def test_equal_results_give_equal_files_written_whole(tmp_path):
    for name in ("one.html", "two.html"):
        write_report(made_standings(NAMES), ABOUT, tmp_path / name)
    one, two = sorted(tmp_path.iterdir())
    assert (
        one.read_bytes() == two.read_bytes() == report_html(made_standings(NAMES), ABOUT).encode()
    )
    with pytest.raises(FileNotFoundError):
        write_report(made_standings(NAMES), ABOUT, tmp_path / "none" / "report.html")


def test_where_results_come_from_is_read_from_their_folder(tmp_path):
    results = simulated({"a": 10, "b": 0}, tables=(2,), matches=2, seed=5)
    results.write_parquet(tmp_path / "games-000001.parquet")
    assert about_results(tmp_path, results).field == ""
    (tmp_path / "field.toml").write_text("seed = 5\n")
    about = about_results(tmp_path, results)
    assert (about.title, about.field, about.seeds) == (
        "Figaro: who is strongest",
        "seed = 5\n",
        (5,),
    )
    assert (about.box_digest, about.versions) == ("b0", {"shakespeare-env": "0.1.0"})
    (tmp_path / "report.html").write_text("a report changes nothing")
    assert about_results(tmp_path, results) == about


@pytest.mark.parametrize(
    ("agents", "command"),
    [
        ('"heuristic", "random"', "shakespeare arena field.toml"),
        ('"random", {program = ["python3", "mine.py"]}', "shakespeare arena field.toml --trust"),
        ('"random", "mine.py:Mine"', "shakespeare arena field.toml --trust"),
    ],
)
def test_the_command_to_reproduce_is_one_that_runs(tmp_path, agents, command):
    """Without --trust it would refuse what the field names."""
    results = simulated({"a": 10, "b": 0}, tables=(2,), matches=2, seed=5)
    results.write_parquet(tmp_path / "games-000001.parquet")
    (tmp_path / "field.toml").write_text(f'game = "figaro"\nagents = [{agents}]\n')
    about = about_results(tmp_path, results)
    assert about.command == command
    shown = report_html(made_standings(NAMES), about)
    assert ("look at them first" in shown) == command.endswith("--trust")
