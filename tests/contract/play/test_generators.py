"""Generators of many games: each its own, whatever is drawn beside it."""

from __future__ import annotations

import numpy as np
import pytest

from shakespeare_env.play.generators import GameGenerators, draw_columns
from tests.generators import generators


def test_numbers_are_uniform_from_0_up_to_1_across_games_and_draws():
    across = generators(20_000).random()
    one = generators(1)
    along = np.concatenate([one.random() for _ in range(20_000)])
    for numbers in (across, along):
        assert numbers.dtype == np.float64
        assert ((numbers >= 0) & (numbers < 1)).all()
        shares = np.histogram(numbers, 10, (0, 1))[0] / len(numbers)
        assert shares == pytest.approx([0.1] * 10, abs=0.01)
        assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.03
        assert len(set(numbers)) == len(numbers)


def test_a_generator_depends_on_the_seed_and_its_game_alone():
    numbers = generators(9, seed=5).random()
    assert generators(4, seed=5).random().tolist() == numbers[:4].tolist()
    some = GameGenerators.of_games(5, np.array([7, 2]))
    assert some.random().tolist() == numbers[[7, 2]].tolist()
    assert not set(generators(9, seed=6).random()) & set(numbers)


def test_a_selection_draws_for_its_games_and_leaves_the_others_alone():
    whole, twin = generators(6), generators(6)
    assert len(whole[np.array([1, 4, 5])]) == 3
    drawn = whole[np.array([1, 4, 5])].random()
    expected = twin.random()
    assert drawn.tolist() == expected[[1, 4, 5]].tolist()
    nested = generators(6)[np.array([5, 3, 1])][np.array([2, 0])]
    assert nested.random().tolist() == expected[[1, 5]].tolist()
    # Games 0, 2 and 3 still have their first number before them, the others their second.
    second, rest = twin.random(), whole.random()
    assert rest[[0, 2, 3]].tolist() == expected[[0, 2, 3]].tolist()
    assert rest[[1, 4, 5]].tolist() == second[[1, 4, 5]].tolist()


def test_words_are_those_drawn_one_by_one_and_one_sequence_with_numbers():
    """For places in any order and repeated, each game's words are its own, in order."""
    places = np.array([3, 0, 3, 3, 1, 0])
    together, apart = generators(5), generators(5)
    words = together.words(places)
    assert words.tolist() == [apart.words(np.array([place]))[0] for place in places]
    assert len(set(words.tolist())) == len(places)
    assert (together.states == apart.states).all()
    untouched = generators(5)
    assert (together.states == untouched.states).tolist() == [False, False, True, False, True]
    untouched.random()
    untouched.random()
    assert together.random()[0] == untouched.random()[0]


def test_columns_are_drawn_by_weight():
    weights = np.tile(np.array([0.0, 5, 0.0, 2, 3, 0.0], np.float32), (20_000, 1))
    shares = np.bincount(generators(20_000).choose(weights), minlength=6) / 20_000
    assert shares == pytest.approx([0, 0.5, 0, 0.2, 0.3, 0], abs=0.015)
    legal = np.tile(np.array([True, False, True]), (20_000, 1))
    shares = np.bincount(generators(20_000).choose(legal), minlength=3) / 20_000
    assert shares == pytest.approx([0.5, 0, 0.5], abs=0.015)


@pytest.mark.parametrize("number", [0.0, np.nextafter(1.0, 0.0)])
def test_no_number_falls_on_a_column_of_weight_0(number):
    weights = np.array([[0.0, 0.1, 0.2, 0.7, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0]], np.float32)
    ends = [1, 1] if number == 0.0 else [3, 1]
    assert draw_columns(weights, np.full(2, number)).tolist() == ends
