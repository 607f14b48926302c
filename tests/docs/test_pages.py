"""Pages and pictures that are made from code are up to date, and links lead somewhere."""

import re
import runpy
from pathlib import Path

import pytest

from benchmarks.leaderboards import pages
from benchmarks.leaderboards.arenas import ARENAS, HERE
from shakespeare_agents.networks.checkpoint import bundled_checkpoint, read_card
from shakespeare_arena.config import open_contenders
from shakespeare_env.core import registry
from shakespeare_env.datasets.reading import read_results

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BUILD = runpy.run_path(str(DOCS / "build.py"))
games = pytest.mark.parametrize("game", registry.names())


@games
def test_pictures_made_from_code_are_up_to_date(game):
    for file, draw in BUILD["PICTURES"].items():
        assert (DOCS / game / file).read_text("utf-8") == draw(game), "run `make docs`"
    # The calibration is drawn if the newest network forecasts results.
    card = read_card(bundled_checkpoint(registry.game(game)))
    assert (DOCS / game / "calibration.png").exists() == bool(card.heads), "run `make docs`"


def test_paths_and_links_of_the_pages_outside_the_site_exist():
    """Building the site checks the links of its own pages."""
    folders = "shakespeare_env|agents|training|tests|benchmarks|docs"
    for page in ROOT.glob("*.md"):
        text = page.read_text("utf-8")
        paths = re.findall(r"\]\((?!http)([^)#]+)\)", text)
        if page.name == "CONTRIBUTING.md":
            paths += re.findall(rf"`((?:{folders})/[\w./]*)`", text)
        assert not [path for path in paths if not (ROOT / path).exists()], page.name


# ------------------------------------------------------------------------------------ leaderboards


@pytest.fixture(scope="module")
def standings():
    return pages.standings_by_game()


def test_leaderboards_agree_with_the_stored_games(standings):
    """`make leaderboards ARGS=--no-play` writes them."""
    assert pages.PAGE.read_text("utf-8") == pages.page(standings)
    for game, of_game in standings.items():
        assert pages.strength_svg(of_game) == (DOCS / game / "strength.svg").read_text("utf-8")


@games
def test_the_ladder_has_all_agents_of_the_arenas_as_they_are_now(game, standings):
    """An agent that has changed must play again: `make leaderboards`."""
    for arena in (arena for arena in ARENAS if arena.game == game):
        with open_contenders(arena, registry.game(game)) as agents:
            assert set(agents) <= set(standings[game].ladder["digest"])
    digests = read_results(HERE / game)["box_digest"].unique().to_list()
    assert digests == [registry.box_digest(game)]
