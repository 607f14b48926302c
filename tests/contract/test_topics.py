"""Topics explain what moves name, and know no secret; score sheets add up."""

import random
import re

import pytest

from shakespeare_env import Position
from tests.contract import knowledge
from tests.contract.random_games import TABLES, sampled

tables = pytest.mark.parametrize("table", TABLES, ids=str)


@tables
def test_every_move_and_every_thing_that_it_names_is_a_topic(table):
    n_moves = 0
    for position in sampled(table, seed=2, every=10):
        topics = position.game.topics(position.to_dict())
        for move in position.moves():
            kind, *named = re.split("[:>]", move)
            n_moves += 1
            assert kind in topics, move
            for name in named:
                # A seat, a number, an act, one of two gifts: part of what the kind explains.
                explained = name.removesuffix("+3") in topics or name.isdigit()
                assert explained or kind in ("quill", "back", "queen"), move
    assert n_moves > 100


@tables
def test_topics_are_short_texts_by_lower_case_words(table):
    for position in sampled(table, seed=2, every=25):
        for name, text in position.game.topics(position.to_dict()).items():
            assert re.fullmatch(r"[a-z][a-z0-9_-]*", name)
            assert text == text.strip()
            assert 1 <= text.count("\n") + 1 <= 5
            assert len(text) < 600


@tables
def test_what_a_seat_may_not_know_changes_no_topic_and_no_score_sheet(table):
    hidden, rng, differed = knowledge.of(table.game, "hidden"), random.Random(6), 0
    for position in sampled(table, seed=6, every=15):
        game = position.game
        for seat in range(table.players):
            changed = hidden.change_in_record(position.record(), seat, rng)
            other = Position.of_record(game, changed)
            possible = position.determinize(seat, rng.getrandbits(64))
            differed += other != position
            for twin in (other, possible):
                assert game.topics(twin.seen_by(seat)) == game.topics(position.seen_by(seat))
                sheets = [game.score_sheet(one.seen_by(seat)) for one in (twin, position)]
                assert sheets[0] == sheets[1]
    assert differed > 20


@tables
def test_what_is_unknown_is_left_out(table):
    for position in sampled(table, seed=6, every=15):
        for seat in range(table.players):
            texts = position.game.topics(position.seen_by(seat)).values()
            assert not any("?" in text for text in texts)


@tables
def test_the_columns_of_a_score_sheet_add_up_to_the_scores(table):
    for seed in range(4):
        for position in sampled(table, seed=seed, every=3):
            for view in (position.to_dict(), position.seen_by(0)):
                sheet = position.game.score_sheet(view)
                rows = [points for _, points in sheet]
                assert len({name for name, _ in sheet}) == len(sheet)
                assert [sum(column) for column in zip(*rows, strict=True)] == position.scores()
