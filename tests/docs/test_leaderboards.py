"""The leaderboards say what the games that are kept beside their fields say."""

from __future__ import annotations

import pytest

from benchmarks.leaderboards import pages
from benchmarks.leaderboards.strength import strength_svg
from shakespeare_agents.arena.contenders import contenders
from shakespeare_agents.arena.field import Field
from shakespeare_env import registry
from shakespeare_env.datasets.results_reading import read_results


@pytest.fixture(scope="module")
def standings():
    return pages.standings_by_game()


def test_the_page_is_up_to_date(standings):
    """`make leaderboards ARGS=--no-play` writes it."""
    assert pages.PAGE.read_text(encoding="utf-8") == pages.page(standings)


@pytest.mark.parametrize("name", registry.names())
def test_all_agents_of_the_fields_stand_on_the_ladder_as_they_play_today(name, standings):
    """An agent that was changed since has to play again: `make leaderboards`."""
    for path in pages.fields_of(name):
        with contenders(Field.read(path), registry.game(name)) as agents:
            assert set(agents) <= set(standings[name].ladder["digest"])


@pytest.mark.parametrize("name", registry.names())
def test_the_games_are_of_the_box_in_force(name):
    digests = read_results(pages.HERE / name)["box_digest"].unique().to_list()
    assert digests == [registry.box_digest(name)]


def test_strength_is_drawn_over_time_at_every_table(standings):
    """The picture kept is that of the games kept; all but far weaker agents are in it."""
    for name, found in standings.items():
        text = strength_svg(found).decode()
        assert text == (pages.ROOT / "docs" / name / "strength.svg").read_text(encoding="utf-8")
        assert all(f"{players} seats" in text for players in found.ladders())
        assert found.ladder["agent"][0] in text
