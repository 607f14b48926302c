"""Pages and pictures that are made from code are up to date and say what the code says."""

import re
import runpy
from pathlib import Path

import pytest

from benchmarks.leaderboards import pages
from shakespeare_agents.networks.checkpoint import bundled_checkpoint, read_card
from shakespeare_arena.config import ArenaConfig, open_contenders
from shakespeare_env.core import registry
from shakespeare_env.datasets.reading import read_results

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BUILD = runpy.run_path(str(DOCS / "build.py"))
games = pytest.mark.parametrize("game", registry.names())


@games
def test_pictures_made_from_code_are_up_to_date(game):
    for file, made in BUILD["PICTURES"].items():
        assert (DOCS / game / file).read_text("utf-8") == made(game), "run `make docs`"
    # What the newest network forecasts is drawn.
    card = read_card(bundled_checkpoint(registry.game(game)))
    assert (DOCS / game / "calibration.png").exists() == bool(card.heads), "run `make docs`"


def test_paths_and_links_of_the_pages_outside_the_site_exist():
    """The site's own links are checked as it is built."""
    tops = "shakespeare_env|agents|training|tests|benchmarks|docs"
    for page in ROOT.glob("*.md"):
        text = page.read_text("utf-8")
        paths = re.findall(r"\]\((?!http)([^)#]+)\)", text)
        if page.name == "CONTRIBUTING.md":
            paths += re.findall(rf"`((?:{tops})/[\w./]*)`", text)
        assert not [path for path in paths if not (ROOT / path).exists()], page.name


# ------------------------------------------------------------------------------------ leaderboards


@pytest.fixture(scope="module")
def standings():
    return pages.standings_by_game()


def test_leaderboards_say_what_the_games_kept_say(standings):
    """`make leaderboards ARGS=--no-play` writes them."""
    assert pages.PAGE.read_text("utf-8") == pages.page(standings)
    for name, found in standings.items():
        assert pages.strength_svg(found) == (DOCS / name / "strength.svg").read_text("utf-8")


@games
def test_all_agents_of_the_arenas_stand_on_the_ladder_as_they_play_today(game, standings):
    """An agent that was changed since has to play again: `make leaderboards`."""
    for path in pages.arenas_of(game):
        with open_contenders(ArenaConfig.read(path), registry.game(game)) as agents:
            assert set(agents) <= set(standings[game].ladder["digest"])
    digests = read_results(pages.HERE / game)["box_digest"].unique().to_list()
    assert digests == [registry.box_digest(game)]
