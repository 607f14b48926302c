"""What bags, deck and supply yield; prestige and pounds stop at `MOST` of the record."""

from __future__ import annotations

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.core.rng import draw
from shakespeare_env.shakespeare.box.tables import COSTUME, N_COLOURS, N_DECK, SET
from shakespeare_env.shakespeare.state import MOST


@rule
def gain_prestige(game: Record, seat: int, points: int) -> None:
    """Score prestige, or lose it (Rules F4)."""
    game["prestige"][seat] = min(max(game["prestige"][seat] + points, -MOST), MOST)


@rule
def gain_pounds(game: Record, seat: int, pounds: int) -> None:
    """Take pounds from the supply."""
    game["pounds"][seat] = min(game["pounds"][seat] + pounds, MOST)


@rule
def size_of_table(game: Record) -> int:
    """The rules' `N`: the seats, but 2 in solo (Rules S1, V1)."""
    return max(game["players"], 2)


@rule
def show_elements(game: Record) -> None:
    """Display 3N costumes and 3N stage sets, or what the bags still hold (Rules S4, U2).

    A bag that has been filled never holds too few; one in a position in text may.
    """
    for kind in (COSTUME, SET):
        bag = game["bag"][kind]
        total = 0
        for colour in range(N_COLOURS):
            total += bag[colour]
        for _ in range(min(3 * size_of_table(game), total)):
            game["display"][kind, draw(game, bag, total)] += 1
            total -= 1


@rule
def discard_elements(game: Record) -> None:
    """Remove leftover elements from the game (Rules U2)."""
    for kind in (COSTUME, SET):
        for colour in range(N_COLOURS):
            game["discarded"][kind, colour] += game["display"][kind, colour]
            game["display"][kind, colour] = 0


@rule
def show_characters(game: Record) -> None:
    """Show N+2 characters, recycling the discards when the deck runs out (S5, U1)."""
    deck = game["deck"]
    total = 0
    for card in range(N_DECK):
        total += deck[card]
    for _ in range(size_of_table(game) + 2):
        if total == 0:
            for card in range(N_DECK):
                total += game["discarded_cards"][card]
                deck[card] = game["discarded_cards"][card]
                game["discarded_cards"][card] = 0
        game["shown"][draw(game, deck, total)] += 1
        total -= 1


@rule
def discard_characters(game: Record) -> None:
    """Discard the leftover shown characters (Rules S5, U1)."""
    for card in range(N_DECK):
        game["discarded_cards"][card] += game["shown"][card]
        game["shown"][card] = 0
