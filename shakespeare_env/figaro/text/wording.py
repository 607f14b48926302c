"""What a position says, the same in every drawing.

Cards are named as in the notation: `red-2`, `jester-1`, `ring`, or `UNKNOWN`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.core.presentation import Headline
from shakespeare_env.figaro.box import tables as t
from shakespeare_env.figaro.box.facts import COLOURS

JESTER, RING = "jester", "ring"
SUITS = (*COLOURS, JESTER, RING)
"""Sorting order of cards."""

LETTERS = {suit: suit[0].upper() for suit in (*COLOURS, JESTER)} | {RING: "○", UNKNOWN: UNKNOWN}
_ORDER = {suit: place for place, suit in enumerate((*SUITS, UNKNOWN))}


def colours_of(position: Mapping[str, Any]) -> list[str]:
    """Colours in play with this many seats (Rules A1)."""
    dealt = t.COPIES[position["players"], : t.N_COLOURED].reshape(t.N_COLOURS, t.N_VALUES)
    return [colour for colour, cards in zip(COLOURS, dealt, strict=True) if cards.any()]


def suit_of(card: str) -> str:
    """A card's colour, or jester, ring or unknown."""
    return card.partition("-")[0]


def value_of(card: str) -> int:
    """What a card adds to a total; rings add nothing (Rules A1)."""
    return int(card.partition("-")[2] or 0)


def in_order(cards: Iterable[str]) -> list[str]:
    """Cards by colour, then by value."""
    return sorted(cards, key=lambda card: (_ORDER[suit_of(card)], value_of(card)))


def held(hand: Mapping[str, int]) -> list[str]:
    """A hand's cards, each by itself, in order."""
    return in_order(card for card, count in hand.items() for _ in range(count))


def pile_colour(pile: Iterable[str]) -> str | None:
    """A pile's colour; jesters and rings give none (Rules B3, B4)."""
    return next((suit_of(card) for card in pile if suit_of(card) in COLOURS), None)


def free_colours(position: Mapping[str, Any]) -> list[str]:
    """Colours in play that lie before no seat."""
    shown = set(map(pile_colour, position["front"]))
    return [colour for colour in colours_of(position) if colour not in shown]


def pile_total(pile: Iterable[str]) -> int:
    """A pile's total."""
    return sum(map(value_of, pile))


def cards_count(count: int) -> str:
    """Number of cards, in words."""
    return f"{count} card{'s' * (count != 1)}"


def table_words(position: Mapping[str, Any]) -> str:
    """Number of seats."""
    return f"{position['players']} seats"


def king_words(position: Mapping[str, Any]) -> str:
    """Who has the King."""
    return f"King: seat {position['king']}"


def asked(position: Mapping[str, Any]) -> str:
    """Who decides what; at the end who has won."""
    if position["to_move"] is None:
        return _outcome(position)
    shown = sum(map(len, position["front"]))
    question = "play a card"
    if shown:
        question += (
            f", or take {f'all {shown} face-up cards' if shown > 1 else 'the one face-up card'}"
        )
    return f"Seat {position['to_move']}: {question}."


def round_state(position: Mapping[str, Any], number: int) -> str:
    """Whether a round's pieces, counted from 1, are `laid`, `now` or `to come`."""
    if position["to_move"] is None or number < position["round"]:
        return "laid"
    return "now" if number == position["round"] else "to come"


def headline(position: Mapping[str, Any]) -> Headline:
    """The table, the round and the King, and who decides what."""
    return Headline(
        "Figaro",
        table_words(position),
        f"round {position['round']} of {len(position['pieces'])}",
        king_words(position),
        asked(position),
    )


def winners(position: Mapping[str, Any]) -> list[int]:
    """The winner's seat; none before the end."""
    return list(position["winners"] or ())


def ranking(position: Mapping[str, Any]) -> list[int]:
    """Seats by road, shortest first; ties as the King decides them (Rules C4)."""
    players, king = position["players"], position["king"]
    lengths = [sum(road) for road in position["roads"]]
    return sorted(range(players), key=lambda seat: (lengths[seat], (seat - king) % players))


def tie_words(position: Mapping[str, Any], seat: int) -> str:
    """Why a seat is before or after others whose roads are as long; empty if there are none."""
    king, roads = position["king"], position["roads"]
    tied = [other for other in ranking(position) if sum(roads[other]) == sum(roads[seat])]
    place = tied.index(seat)
    if place:
        ahead = tied[place - 1]
        why = "has the King" if ahead == king else "is nearer clockwise to the King"
        return f"tied with seat {ahead}, which {why}"
    if len(tied) > 1:
        why = "has the King" if seat == king else "is nearer clockwise to the King"
        return f"tied with seat {tied[1]}, but {why}"
    return ""


def _outcome(position: Mapping[str, Any]) -> str:
    lengths = list(map(sum, position["roads"]))
    won = winners(position)
    if not won:
        return "The game is over."
    shortest = lengths[won[0]]
    sentence = f"Winner: seat {', '.join(map(str, won))}, with a road of {shortest}"
    # The King decides among roads of one length (Rules C4).
    tied = lengths.count(shortest) > len(won)
    return f"{sentence}, nearest to the King of those tied" if tied else sentence
