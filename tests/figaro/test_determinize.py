"""`determinize` draws the other hands uniformly from the possible deals.

A seat to move has a choice (Rules D1), so deals that would leave it none are impossible.
Frequencies are tested by chi-square against the value exceeded once in 10,000 draws.
"""

from collections import Counter
from itertools import islice, permutations

import pytest

from shakespeare_env import Position
from tests.contract.random_games import batch_of_copies
from tests.figaro.cards import KINDS
from tests.figaro.hidden import can_decide
from tests.figaro.positions import sample, trio

DRAWS = 6000
EVERY_COLOUR = [["red-1"], ["orange-1"], ["green-1"], ["blue-1", "ring"]]


def test_a_hand_that_leaves_no_choice_has_no_influence():
    """Positions in text can have such a hand, and to the others it may as well leave a choice."""
    hands = [{"red-1": 1}, {"ring": 1}, {"blue-2": 1}, {}]
    forced = Position.from_dict(sample(hands, to_move=1))
    free = Position.from_dict(sample([hands[0], hands[2], hands[1], {}], to_move=1))
    assert (len(forced.moves()), len(free.moves())) == (1, 4)
    for seed in range(50):
        assert forced.determinize(0, seed) == free.determinize(0, seed)


def others_of(d, observer):
    return [seat for seat in range(d["players"]) if seat != observer]


def exact(d, observer):
    """Return the probability of every deal of the other hands, as far as a seat can know."""
    others = others_of(d, observer)
    decides = can_decide(d["front"])
    unseen = [card for seat in others for card in Counter(d["hands"][seat]).elements()]
    found: Counter[tuple[tuple[str, ...], ...]] = Counter()
    for order in permutations(unseen):
        rest = iter(order)
        sizes = [sum(d["hands"][seat].values()) for seat in others]
        hands = tuple(tuple(sorted(islice(rest, size))) for size in sizes)
        if d["to_move"] == observer or decides(hands[others.index(d["to_move"])]):
            found[hands] += 1
    return {hands: ways / found.total() for hands, ways in found.items()}


def drawn(d, observer):
    """Return how often every deal was drawn."""
    batch = batch_of_copies(Position.from_dict(d), DRAWS)
    batch.determinize(slice(None), [observer] * DRAWS, range(DRAWS))
    found: Counter[tuple[tuple[str, ...], ...]] = Counter()
    for hands in batch.save(slice(None))["hand"][:, others_of(d, observer)].tolist():
        counts = [dict(zip(KINDS, hand, strict=True)) for hand in hands]
        found[tuple(tuple(sorted(Counter(count).elements())) for count in counts)] += 1
    return found


def limit(freedom):
    """Return the value that chi-square exceeds once in 10,000 draws (Wilson and Hilferty)."""
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + 3.72 * spread**0.5) ** 3


# A position, the observer, and whether some deals would leave the seat to move no choice.
UNSEEN = [{"red-1": 1, "ring": 1}, {"ring": 1}, {"blue-2": 1}]
STUCK = [{"purple-2": 1, "ring": 1}, {"purple-2": 1, "purple-1": 1}, {"jester-1": 1, "red-1": 1}]
COPIES = [{"red-1": 2, "red-2": 1}, {"red-1": 1, "red-2": 2}, {"blue-1": 1}]
CASES = {
    "an empty table": (sample([{"red-2": 1}, *UNSEEN], to_move=1), 0, True),
    "two cards": (sample([*STUCK, {"red-2": 2}], EVERY_COLOUR, to_move=0), 3, True),
    "the observer moves": (sample([{"red-2": 1}, *STUCK], EVERY_COLOUR, to_move=0), 0, False),
    "three seats": (trio(), 0, False),
    "copies of a card": (sample(COPIES, to_move=0), 2, False),
}


@pytest.mark.slow
@pytest.mark.parametrize(("d", "observer", "limited"), CASES.values(), ids=CASES)
def test_every_deal_is_as_frequent_as_it_should_be(d, observer, limited):
    probabilities = exact(d, observer)
    found = drawn(d, observer)
    assert (set(probabilities) < set(exact(d | {"to_move": observer}, observer))) == limited
    assert set(found) <= set(probabilities), "an impossible deal was drawn"
    assert min(probabilities.values()) * DRAWS > 5
    expected = {hands: DRAWS * chance for hands, chance in probabilities.items()}
    chi_square = sum((found[hands] - mean) ** 2 / mean for hands, mean in expected.items())
    assert chi_square < limit(len(probabilities) - 1), found


def test_a_decision_with_one_legal_move_can_be_determinized():
    """Such a position can be read from text, and perhaps no deal leaves the mover a choice."""
    d = sample([{"red-1": 1}, {"purple-2": 1}, {"purple-1": 1}, {}], EVERY_COLOUR, to_move=1)
    for seat in range(4):
        assert sum(Position.from_dict(d).determinize(seat, 1).to_dict()["hands"][1].values()) == 1
