"""Game setup (section S)."""

from __future__ import annotations

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.core.rng import shuffle
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.rules.boards import join, show_characters, show_elements
from shakespeare_env.shakespeare.rules.phases.craft import close_craft
from shakespeare_env.shakespeare.rules.phases.rest import begin_day
from shakespeare_env.shakespeare.state import DRAFT, IN_DRAFT, NOBODY

OPTIONS = {"strategic_rest": range(2, t.N_SEATS + 1)}
"""Variants, with the numbers of seats that may play them (Rules P4)."""


@rule
def set_up(game: Record, players: int, options: int) -> None:
    """Set up a game, up to the draft's first decision (Rules S1 to S6)."""
    game["players"] = players
    game["strategic_rest"] = options & 1  # `options` has a bit for each entry of `OPTIONS`
    game["day"] = 1
    game["phase"] = DRAFT
    game["part"] = IN_DRAFT
    game["queue"][:] = NOBODY
    game["queue_len"] = 0
    game["quills"] = 0
    game["back"] = 0
    game["queen"] = 0
    game["drawn"][:] = NOBODY
    game["drawn_len"] = 0
    close_craft(game)
    clear_seats(game)
    settle_order(game)
    pile_discs(game)
    fill_supply(game)
    game["to_move"] = game["order"][players - 1]


@rule
def clear_seats(game: Record) -> None:
    """Clear all seats, and give those at the table their board and prestige (Rules S2)."""
    begin_day(game)
    game["prestige"][:] = 0
    game["pounds"][:] = 0
    game["tokens"][:] = 0
    game["mood"][:] = 0
    game["kept"][:] = NOBODY
    game["unpaid"][:] = 0
    game["winners"][:] = 0
    game["objectives"][:, :] = NOBODY
    game["objectives_len"][:] = 0
    game["stage"][:, :] = NOBODY
    game["stage_filled"][:] = 0
    game["yellow"][:] = 0
    game["troupe_len"][:] = 0
    game["card"][:, :] = NOBODY
    game["extra"][:, :] = 0
    game["rest"][:, :] = 0
    game["costume"][:, :, :] = NOBODY
    game["costume_len"][:, :] = 0
    game["costume_value"][:, :] = 0
    for seat in range(game["players"]):
        game["prestige"][seat] = t.START_PRESTIGE
        for card in range(t.N_BOARD):
            join(game, seat, card, 0)  # 0: face up


@rule
def settle_order(game: Record) -> None:
    """Draw a random Order, and copy it to the Initiative track (Rules S3)."""
    players = game["players"]
    order = game["order"]
    order[:] = NOBODY
    for seat in range(players):
        order[seat] = seat
    shuffle(game, order, players)
    for place in range(t.N_SEATS):
        game["initiative"][place] = order[place]
    game["initiative_len"] = players


@rule
def pile_discs(game: Record) -> None:
    """Pile the discs on space 1 in Order, first seat at the bottom (Rules S3).

    A game of one seat also has a neutral disc on each act (Rules V2).
    """
    game["disc_space"][:, :] = 0
    game["disc_height"][:, :] = 0
    for act in range(3):
        for place in range(game["players"]):
            seat = game["order"][place]
            game["disc_space"][act, seat] = 1
            game["disc_height"][act, seat] = place
        if game["players"] == 1:
            game["disc_space"][act, t.NEUTRAL] = t.NEUTRAL_START


@rule
def fill_supply(game: Record) -> None:
    """Fill bags, deck, displays and tokens, and shuffle the objectives (Rules S4, S5, S6)."""
    for kind in (t.COSTUME, t.SET):
        for colour in range(t.N_COLOURS):
            game["bag"][kind, colour] = t.BAG[game["players"], kind, colour]
    game["display"][:, :] = 0
    game["discarded"][:, :] = 0
    show_elements(game)
    for card in range(t.N_DECK):
        game["deck"][card] = t.COPIES[card]
    game["shown"][:] = 0
    game["discarded_cards"][:] = 0
    show_characters(game)
    game["supply_tokens"] = t.N_TOKENS
    deck = game["objective_deck"]
    for objective in range(t.N_OBJECTIVES):
        deck[objective] = objective
    shuffle(game, deck, t.N_OBJECTIVES)
    game["objective_deck_len"] = t.N_OBJECTIVES
    game["objective_known"][:] = NOBODY
