"""Places, gaps and the sentence at the end of a game."""

import pytest

from shakespeare_env.core.seat_names import YOU
from shakespeare_env.play.standings import ordinal, outcome_in_words, places, standings
from tests.contract.each_table import all_tables
from tests.contract.random_games import sample_positions

NAMES = ["Ann", "Bea", "Carl", "Dora"]


def read(points, reader, winners=()):
    """Return the sentence about final scores for a reader, or for somebody without a seat."""
    names = [YOU if seat == reader else name for seat, name in enumerate(NAMES)]
    return outcome_in_words(places(points, winners), points, names, reader)


@pytest.mark.parametrize(
    ("points", "reader", "winners", "sentence"),
    [
        ([9, 12, 7, 5], 0, [1], "You came 2nd of 4, 3 behind Bea."),
        ([9, 12, 9, 5], 0, [1], "You share 2nd place with Carl, 3 behind Bea."),
        ([9, 12, 9, 5], 3, [1], "You came 4th of 4, 7 behind Bea."),
        ([9, 12, 7, 5], 1, [1], "You are 3 ahead of Ann."),
        ([9, 12, 7, 5], None, [1], "Bea is 3 ahead of Ann."),
        ([9, 12, 9, 5], None, [1], "Bea is 3 ahead of Ann and Carl."),
        ([12, 12, 7, 5], 0, [0, 1], "You and Bea are 5 ahead of Carl."),
        ([12, 12, 7, 5], 2, [0, 1], "You came 3rd of 4, 5 behind Ann and Bea."),
        # Ties that a rule has settled.
        ([12, 12, 7, 5], 0, [1], "You came 2nd of 4, level with Bea."),
        ([12, 12, 7, 5], 1, [1], "You are level with Ann."),
        ([4, 4, 4, 4], 1, [0, 1, 2, 3], "Everybody wins."),
    ],
)
def test_the_end_is_told_with_the_own_place_and_the_gap(points, reader, winners, sentence):
    assert read(points, reader, winners) == sentence


def test_places_have_ordinals_at_any_table():
    found = {number: ordinal(number) for number in (1, 2, 3, 4, 7, 11, 12, 13, 21, 102, 111)}
    assert list(found.values()) == [
        "1st", "2nd", "3rd", "4th", "7th", "11th", "12th", "13th", "21st", "102nd", "111th",
    ]  # fmt: skip


@all_tables
def test_standings_are_those_of_the_scores_for_every_viewer(table):
    for position in sample_positions(table, seed=4, every=12):
        scores = position.scores()
        presentation = position.game.presentation
        for view in (position.to_dict(), position.seen_by(0)):
            found, coming = standings(presentation, view)
            assert [it.points * presentation.score_sign for it in found] == scores
            assert [it.gap for it in found] == [max(scores) - score for score in scores]
            if position.to_move is None:
                assert coming is None
                winners = [it.seat for it in found if it.place == 1]
                assert winners == position.winners
