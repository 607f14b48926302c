"""An arena's report: one HTML file that shows what the standings say, whatever the names are."""

import itertools
import re
from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser

import polars as pl
import pytest

from shakespeare_agents.arena.report import About, about_results, palette, report_html, write_report
from tests.arena.report.made_standings import HOSTILE, NAMES, made_standings
from tests.arena.simulated_results import simulated

pytestmark = pytest.mark.usefixtures("few_replicates")
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


def test_the_ladder_shows_ratings_leads_and_verdicts(whole):
    standings = made_standings(NAMES)
    rows = standings.ladder.rows(named=True)
    ratings = [text.split("\n")[0].strip() for text in whole.texts["num strong"][: len(NAMES)]]
    assert ratings == [f"{row['rating']:.0f}".replace("-", "−") for row in rows[: len(NAMES)]]
    assert whole.texts["rank"][: len(NAMES)] == [row["rank"] for row in rows[: len(NAMES)]]
    verdicts = pl.concat([standings.ladder["verdict"], standings.solo["verdict"]])
    for verdict in ("stronger", "open"):
        assert len(whole.texts[f"verdict {verdict}"]) == verdicts.eq(verdict).sum() > 0
    best = "{agent}: {rating:.0f} ({low:.0f} to {high:.0f})".format(**rows[0])
    assert best in whole.texts["title"]


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
        (("a", "b"), {"tables": ()}, "ladder matrix differences tables cycles"),
        (("a", "b"), {"alone": False}, "solo cycles"),
        (("a", "b", "c"), {"tables": (3,), "sure": False}, ""),
        (("a",), {}, "matrix differences cycles"),
        ((), {}, SECTIONS.removesuffix(" reproduce")),
    ],
)
def test_what_there_is_nothing_of_is_left_out(names, how, left_out):
    expected = [section for section in SECTIONS.split() if section not in left_out.split()]
    assert page(*names, **how).sections == expected


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


@pytest.mark.parametrize(("theme", "colours"), [("light", palette.LIGHT), ("dark", palette.DARK)])
def test_texts_and_marks_are_seen_on_their_grounds(theme, colours):
    # The darkest grey that fails on white, as often quoted.
    assert palette.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    texts = itertools.product(("ink", "muted", "accent", "warn"), ("page", "panel", "shade"), [4.5])
    marks = itertools.product(("interval", "bars", "accent"), ("page", "panel"), [3])
    for ink, ground, least in (*texts, *marks):
        assert palette.contrast(colours[ink], colours[ground]) >= least, (ink, ground)
    for ground, ink in palette.heat(theme):
        assert palette.contrast(ink, ground) >= 4.5, ground
