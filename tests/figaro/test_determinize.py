"""What `determinize` draws for a seat: the other hands, uniform over the deals that can be.

Whoever is asked has a choice (Rules D1), so deals that would leave the seat to move none are no
part of it. Frequencies are tested by chi-square against the value exceeded once in 10 000 draws;
seeds are fixed, so a test that passes goes on passing.
"""

from collections import Counter
from math import comb

import pytest

from shakespeare_env import Position
from tests.contract.random_games import copies
from tests.figaro.cards import COLOURS, KINDS
from tests.figaro.observed import colour_of
from tests.figaro.samples import position, trio

DRAWS = 6000
EVERY_COLOUR = [["red-1"], ["orange-1"], ["green-1"], ["blue-1", "ring"]]


def test_a_hand_without_a_choice_has_no_influence_either():
    """Text can hold one; who decides may then have a choice or not, for all that others know."""
    hands = [{"red-1": 1}, {"ring": 1}, {"blue-2": 1}, {}]
    forced = Position.from_dict(position(hands, to_move=1))
    free = Position.from_dict(position([hands[0], hands[2], hands[1], {}], to_move=1))
    assert (len(forced.moves()), len(free.moves())) == (1, 4)
    for seed in range(50):
        assert forced.determinize(0, seed) == free.determinize(0, seed)


def has_choice(d, hand):
    """Whether a hand leaves the seat to move two legal moves (Rules B1 to B5), in plain Python."""
    colours = [colour_of(pile) for pile in d["front"]]
    moves = int(any(d["front"]))
    for card in set(hand):
        colour = card.partition("-")[0]
        if colour not in COLOURS:
            moves += 1 if card == "ring" else d["players"]
        elif COLOURS.index(colour) in colours:
            moves += 1
        else:
            moves += colours.count(None)
    return moves >= 2


def hands_from(unseen, size):
    """(hand, ways to draw it) for every hand of a number of cards from a multiset."""
    if not unseen:
        yield (), 1 if size == 0 else 0
        return
    (kind, most), *rest = unseen
    for taken in range(min(most, size) + 1):
        for hand, ways in hands_from(rest, size - taken):
            yield (*((kind,) * taken), *hand), ways * comb(most, taken)


def deals(unseen, sizes):
    """(hands, ways) for every deal of a multiset to hands of these sizes."""
    if not sizes:
        yield (), 1
        return
    for hand, ways in hands_from(sorted(unseen.items()), sizes[0]):
        if ways:
            for others, more in deals(unseen - Counter(hand), sizes[1:]):
                yield (hand, *others), ways * more


def exact(d, observer):
    """The probability of every deal of the other hands, as a seat must reckon it."""
    others = [seat for seat in range(d["players"]) if seat != observer]
    unseen = sum((Counter(d["hands"][seat]) for seat in others), Counter())
    weights = {
        hands: ways
        for hands, ways in deals(unseen, [sum(d["hands"][seat].values()) for seat in others])
        if d["to_move"] == observer or has_choice(d, hands[others.index(d["to_move"])])
    }
    total = sum(weights.values())
    return {hands: ways / total for hands, ways in weights.items()}


def drawn(d, observer):
    """How often every deal came out."""
    batch = copies(Position.from_dict(d), DRAWS)
    batch.determinize(slice(None), [observer] * DRAWS, range(DRAWS))
    others = [seat for seat in range(d["players"]) if seat != observer]
    found: Counter[tuple[tuple[str, ...], ...]] = Counter()
    for hands in batch.save(slice(None))["hand"][:, others].tolist():
        named = ([card for card, n in zip(KINDS, hand, strict=True) for _ in range(n)]
                 for hand in hands)  # fmt: skip
        found[tuple(tuple(sorted(hand)) for hand in named)] += 1
    return found


def limit(freedom):
    """What chi-square exceeds once in 10 000 draws (Wilson and Hilferty)."""
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + 3.72 * spread**0.5) ** 3


# Position, the seat that looks on, whether some deals would leave the seat to move no choice.
UNSEEN = [{"red-1": 1, "ring": 1}, {"ring": 1}, {"blue-2": 1}]
STUCK = [{"purple-2": 1, "ring": 1}, {"purple-2": 1, "purple-1": 1}, {"jester-1": 1, "red-1": 1}]
COPIES = [{"red-1": 2, "red-2": 1}, {"red-1": 1, "red-2": 2}, {"blue-1": 1}]
CASES = {
    "an empty table": (position([{"red-2": 1}, *UNSEEN], to_move=1), 0, True),
    "two cards": (position([*STUCK, {"red-2": 2}], EVERY_COLOUR, to_move=0), 3, True),
    "the observer moves": (position([{"red-2": 1}, *STUCK], EVERY_COLOUR, to_move=0), 0, False),
    "a seat without cards": (
        position([UNSEEN[0], {}, {"ring": 1, "green-1": 1}, {"red-2": 1}], to_move=0), 3, True
    ),
    "three seats": (trio(), 0, False),
    "copies of a card": (position(COPIES, to_move=0), 2, False),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("d", "observer", "limited"), CASES.values(), ids=CASES)
def test_every_deal_is_as_frequent_as_it_should_be(d, observer, limited):
    probabilities, found = exact(d, observer), drawn(d, observer)
    free = exact(d | {"to_move": observer}, observer)
    assert (set(probabilities) < set(free)) == limited
    assert set(found) <= set(probabilities), "a deal that cannot be"
    assert len(probabilities) > 1
    assert min(probabilities.values()) * DRAWS > 5
    chi_square = sum(
        (found[hands] - DRAWS * chance) ** 2 / (DRAWS * chance)
        for hands, chance in probabilities.items()
    )
    assert chi_square < limit(len(probabilities) - 1), found


def test_a_decision_with_one_legal_move_can_be_determinized():
    """Such a position can be read from text; where no deal leaves a choice, none is waited for."""
    for d in (
        position([{"red-1": 1}, {"ring": 1}, {"ring": 1}, {}], to_move=1),
        position([{"red-1": 1}, {"purple-2": 1}, {"purple-1": 1}, {}], EVERY_COLOUR, to_move=1),
    ):
        for seat in range(4):
            drawn = Position.from_dict(d).determinize(seat, seed=1)
            assert sum(drawn.to_dict()["hands"][1].values()) == 1
