"""The pages and pictures that are made from code, and the links between all pages."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from shakespeare_agents.bundled import bundled_checkpoint, bundled_versions
from shakespeare_agents.checkpoint import read_card
from shakespeare_env import observation_layout, registry

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BUILD = runpy.run_path(str(DOCS / "build.py"))
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]
LINKS = [
    (page, link)
    for page in PAGES
    for link in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text(encoding="utf-8"))
]
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
TOP = "shakespeare_env|agents|training|tests|benchmarks|docs"
MAP = sorted(set(re.findall(rf"`((?:{TOP})/[\w./]*)`", CONTRIBUTING.read_text(encoding="utf-8"))))
games = pytest.mark.parametrize("game", registry.names())


@games
@pytest.mark.parametrize("file", BUILD["PAGES"])
def test_a_page_made_from_code_is_up_to_date(game, file):
    found = (DOCS / game / file).read_text(encoding="utf-8")
    assert found == BUILD["PAGES"][file](game), "run `make docs`"


@games
def test_the_observation_page_has_every_field_in_order(game):
    page = (DOCS / game / "observation.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(.+?)` \| (\d+) \| (\d+) \| (-?\d+) to (-?\d+) \|", page, re.MULTILINE)
    fields = [(f.name, f.start, f.size, f.low, f.high) for f in observation_layout(game)]
    assert [(name, *map(int, numbers)) for name, *numbers in rows] == fields


@games
def test_every_kind_of_action_has_a_heading(game):
    page = (DOCS / game / "actions.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", page, flags=re.MULTILINE)[1:]
    blocks = registry.game(game).actions.blocks
    assert [section.partition("\n")[0].lower() for section in sections] == [b.name for b in blocks]
    for section, block in zip(sections, blocks, strict=True):
        assert re.findall(r"^\| \d+ \| `(.+?)`", section, re.MULTILINE) == list(block.texts)


@games
def test_every_seat_of_an_observation_has_a_heading(game):
    page = (DOCS / game / "observation.md").read_text(encoding="utf-8")
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        seat = re.match(r"Seat (\d)", section)
        fields = re.findall(r"^\| `(.+?)`", section, re.MULTILINE)
        assert fields
        assert {field.partition(".")[0] for field in fields if "." in field} == (
            {f"seat{seat[1]}"} if seat else set()
        )


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.stem)
def test_code_fits_its_box(page):
    """What `make site` shows without scrolling on a screen 1280 pixels wide."""
    for block in re.findall(r"^ *```.*?^ *```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE):
        assert max(map(len, block.splitlines())) <= 100, block


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_can_be_read_in_the_repository(page):
    """A forge shows no includes of the site."""
    assert "--8<--" not in page.read_text(encoding="utf-8")


@games
def test_every_game_has_its_pages(game):
    assert {"learning_curve.png", *BUILD["PAGES"]} <= {
        path.name for path in (DOCS / game).iterdir()
    }


@games
def test_what_the_newest_network_forecasts_is_drawn(game):
    rules = registry.game(game)
    card = read_card(bundled_checkpoint(rules)) if bundled_versions(rules) else None
    drawn = (DOCS / game / "calibration.png").exists()
    assert drawn == bool(card and card.heads), "run `make docs`"


@pytest.mark.parametrize(("page", "link"), LINKS, ids=lambda value: str(value)[-40:])
def test_a_link_leads_somewhere(page, link):
    assert (page.parent / link).exists()


@pytest.mark.parametrize("path", MAP)
def test_a_path_in_the_map_exists(path):
    assert (ROOT / path).exists()
