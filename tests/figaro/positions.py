"""Positions for the rule tests, written so that a test states only what matters to it.

`position(hands={0: "red-1 ring"}, front={2: "blue-2"})` is a complete position in the notation.
Cards that the test does not name are dealt to the hands that it does not name, and cards left over
have been taken, so that no card is missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shakespeare_env import Position
from tests.contract.playing import play
from tests.contract.random_games import TABLES, Table, play_by_rule
from tests.figaro.cards import HAND, deck

ALL_SEATS = tuple(HAND)
OURS = [table for table in TABLES if table.game == "figaro"]
REST = "..."
"""In a hand, stands for a share of the cards that are named nowhere."""

Dict = dict[str, Any]


def pieces_of(players: int, in_round: int = 1) -> list[list[int]]:
    """Return the pieces of the three rounds; past rounds have none left.

    With four seats they are [15, 12, 9], [14, 11, 8] and [13, 10, 7].
    """
    lengths = list(range(15, 15 - 3 * (players - 1), -1))
    return [lengths[n::3] if n >= in_round - 1 else [] for n in range(3)]


def position(
    *,
    players: int = 4,
    in_round: int = 1,
    to_move: int = 0,
    king: int = 0,
    hands: Mapping[int, str] | None = None,
    front: Mapping[int, str] | None = None,
    taken: Sequence[int] | Mapping[int, str] | None = None,
    heap: int | Sequence[int] | None = None,
    **fields: Any,
) -> Dict:
    """Return a position in the notation; what is not given is filled in so that it adds up.

    `hands` gives complete hands, "" an empty one. A hand that ends in REST, and one not given, gets
    a share of the cards left over. `front` gives piles from the first card on, `taken` the number
    of cards of every seat, or the cards of some seats. Cards that fit nowhere else have been taken
    by `heap`, one seat or several in turn, or by the last seat. `fields` replace fields of the
    notation.
    """
    seats = range(players)
    left = deck(players)
    piles = [(front or {}).get(seat, "").split() for seat in seats]
    held = []
    shares = []
    for seat in seats:
        named = (hands or {}).get(seat, REST).split()
        if REST in named:
            named.remove(REST)
            shares.append(seat)
        held.append(named)
    by_seat = taken if isinstance(taken, Mapping) else {}
    owned = [by_seat.get(seat, "").split() for seat in seats]
    for cards in (*piles, *held, *owned):
        for card in cards:
            left[card] -= 1
    rest = _mixed(left)
    if taken is not None and taken is not by_seat:
        owned = [[rest.pop() for _ in range(count)] for count in taken]
    for _ in range(HAND[players]):
        for seat in shares:
            if rest and len(held[seat]) < HAND[players]:
                held[seat].append(rest.pop(0))
    takers: Sequence[int] = [players - 1]
    if isinstance(heap, int):
        takers = [heap]
    elif heap is not None:
        takers = heap
    for place, card in enumerate(sorted(rest)):
        owned[takers[place % len(takers)]].append(card)
    made: Dict = {
        **{"game": "figaro", "players": players, "round": in_round, "to_move": to_move},
        **{"king": king, "hands": [dict(sorted(Counter(cards).items())) for cards in held]},
        **{"front": piles, "taken": [sorted(cards) for cards in owned]},
        **{"pieces": pieces_of(players, in_round), "roads": [[] for _ in seats], "winners": None},
    }
    return made | fields


def _mixed(left: Counter[str]) -> list[str]:
    """Return cards in an order in which the kinds take turns, so that shares have all kinds."""
    return [card for n in range(max(left.values())) for card in sorted(left) if left[card] > n]


def ending(taken: Sequence[int], *, ender: int = 0, **fields: Any) -> Dict:
    """Return a position in which `last_card` ends the round, since seat `ender` has no cards.

    `taken` is how many cards every seat has taken; `fields` are those of `position`.
    """
    mover = (ender - 1) % len(taken)
    hands = {mover: f"red-1 {REST}", ender: ""} | fields.pop("hands", {})
    return position(players=len(taken), to_move=mover, hands=hands, taken=taken, **fields)


def last_card(ender: int, players: int = 4) -> str:
    """Return the move that ends the round of `ending`; the seat before `ender` plays it."""
    return f"play:red-1>{(ender - 1) % players}"


def ended(taken: Sequence[int], *, ender: int = 0, seed: int = 0, **fields: Any) -> Dict:
    """Return the position after the round of `ending`."""
    return play(ending(taken, ender=ender, **fields), last_card(ender, len(taken)), seed=seed)


def final(taken: Sequence[int], pieces: list[int], roads: list[list[int]], **fields: Any) -> Dict:
    """Return the position after a third round with these pieces and roads."""
    return ended(taken, in_round=3, pieces=[[], [], pieces], roads=roads, **fields)


def targets(moves: set[str], card: str) -> set[int]:
    """Return the seats that a card can be played before."""
    prefix = f"play:{card}>"
    return {int(move.removeprefix(prefix)) for move in moves if move.startswith(prefix)}


def gained(before: Dict, after: Dict) -> list[int]:
    """Return how many cards every seat took."""
    piles = zip(before["taken"], after["taken"], strict=True)
    return [len(new) - len(old) for old, new in piles]


def table(*piles: str) -> list[list[str]]:
    """Return the cards before the seats, as the notation lists them."""
    return [pile.split() for pile in piles]


def in_play(d: Dict) -> Counter[str]:
    """Return all cards of a position."""
    cards: Counter[str] = Counter()
    for hand in d["hands"]:
        cards += Counter(hand)
    for pile in (*d["front"], *d["taken"]):
        cards += Counter(pile)
    return cards


def sample(
    hands: Sequence[Mapping[str, int]],
    front: Sequence[Sequence[str]] = (),
    *,
    number: int = 2,
    takers: Sequence[int] = (0,),
    **fields: Any,
) -> Dict:
    """Return a position of a round; cards neither held nor face up were taken by `takers` in turn.

    `fields` are those of `position`.
    """
    return position(
        players=len(hands),
        in_round=number,
        hands={seat: " ".join(Counter(hand).elements()) for seat, hand in enumerate(hands)},
        front={seat: " ".join(pile) for seat, pile in enumerate(front)},
        heap=takers,
        **fields,
    )


def turn() -> Dict:
    """Return four seats in the second round, with piles of two colours and of a jester."""
    hands = [
        {"red-1": 1, "red-2": 2, "ring": 1},
        {"blue-2": 2, "jester-1": 1, "purple-3": 1},
        {"green-1": 1, "green-2": 1, "jester-2": 1, "ring": 1},
        {"orange-2": 3},
    ]
    front = [[], ["jester-1"], ["ring", "blue-2", "blue-1"], ["green-3", "jester-1"]]
    roads = [[15], [14], [13], []]
    pieces = [[], [12, 11, 10], [9, 8, 7]]
    fields: Dict = {"to_move": 2, "king": 1, "roads": roads, "pieces": pieces}
    return sample(hands, front, takers=(0, 2, 3), **fields)


def trio() -> Dict:
    """Return three seats in the third round, with an empty table."""
    hands = [{"red-1": 2}, {"blue-2": 1, "ring": 1}, {"jester-2": 1}]
    roads = [[15, 14], [12, 11], []]
    return sample(hands, to_move=1, king=2, number=3, takers=(0, 1, 2), roads=roads)


def opening() -> Dict:
    """Return six seats that have not played yet."""
    return position(players=6, to_move=4, king=4)


def over() -> Dict:
    """Return the end of a game of five seats, in which seat 3 wins a tie with seat 0."""
    d = sample([{}] * 5, number=3, takers=(0, 1, 2, 3, 4))
    d |= {"to_move": None, "king": 2, "winners": [3], "pieces": [[], [], []]}
    d["roads"] = [[5, 4], [15, 14, 1], [13, 12], [6, 3], [11, 10, 9]]
    return d


def positions(of: Table, seed: int, every: int = 1) -> Iterator[Position]:
    """Yield every `every`-th position of a random game, and its end; always the same object."""
    for number, reached in enumerate(play_by_rule(of.position(seed), salt=seed)):
        if number % every == 0 or reached.to_move is None:
            yield reached
