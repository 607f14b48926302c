"""The rules that redraw what a seat does not know of a position (Rules D3)."""

from __future__ import annotations

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.core.rng import below
from shakespeare_env.shakespeare import actions
from shakespeare_env.shakespeare.box.tables import N_CYLINDERS, N_OBJECTIVES
from shakespeare_env.shakespeare.rules.flow import find_decision, queue_seats
from shakespeare_env.shakespeare.state import IN_WAGER, NOBODY


@rule
def determinize(game: Record, seat: int) -> None:
    """Redraw, from game["random"], everything that a seat does not know.

    Unseen objectives are dealt to the other seats, to another seat's draw and to unknown places of
    the pile. The other seats' secret choices are drawn uniformly from the possible ones. Deck and
    bags need nothing: the random state decides what they yield. Unseen objectives are picked from a
    set, so where they truly are has no influence.
    """
    deal_objectives(game, seat)
    for other in range(game["players"]):
        if other == seat:
            continue
        if game["part"] == IN_WAGER and game["wager"][other] > 0:
            game["wager"][other] = 1 + below(game, N_CYLINDERS)
        if game["kept"][other] != NOBODY:
            choose_rest(game, other)


@rule
def rewind(game: Record) -> bool:
    """Take back the secret wagers or rest choices made so far (Rules W1, P2).

    Returns:
        Whether there were any.
    """
    made = 0
    for seat in range(game["players"]):
        made += game["part"] == IN_WAGER and game["wager"][seat] > 0
        made += game["kept"][seat] != NOBODY
    if made == 0:
        return False
    if game["part"] == IN_WAGER:
        game["wager"][:] = 0
    else:
        game["kept"][:] = NOBODY
        queue_seats(game, game["order"])
    find_decision(game)
    return True


@rule
def is_hidden(game: Record, seat: int, action: int) -> bool:
    """Return whether the other seats do not know yet that a seat has chosen an action (Rules D3).

    Wagers and rest choices are hidden until all are revealed, and objectives always.
    """
    if actions.WAGER <= action < actions.RECRUIT:
        return game["part"] == IN_WAGER
    if action >= actions.KEEP:
        return game["kept"][seat] != NOBODY
    return actions.OBJECTIVE <= action < actions.PASS


@rule
def deal_objectives(game: Record, seat: int) -> None:
    """Deal the objectives that a seat has not seen to the places that it cannot see."""
    unseen = (1 << N_OBJECTIVES) - 1
    for place in range(game["objectives_len"][seat]):
        unseen &= ~(1 << int(game["objectives"][seat, place]))
    if game["to_move"] == seat:
        for place in range(game["drawn_len"]):
            unseen &= ~(1 << int(game["drawn"][place]))
    for place in range(game["objective_deck_len"]):
        if game["objective_known"][place] == seat:
            unseen &= ~(1 << int(game["objective_deck"][place]))
    for other in range(game["players"]):
        if other != seat:
            for place in range(game["objectives_len"][other]):
                objective = pick(game, unseen)
                unseen &= ~(1 << objective)
                game["objectives"][other, place] = objective
    if game["to_move"] != seat:
        for place in range(game["drawn_len"]):
            objective = pick(game, unseen)
            unseen &= ~(1 << objective)
            game["drawn"][place] = objective
    for place in range(game["objective_deck_len"]):
        if game["objective_known"][place] != seat:
            objective = pick(game, unseen)
            unseen &= ~(1 << objective)
            game["objective_deck"][place] = objective


@rule
def pick(game: Record, unseen: int) -> int:
    """Return a random objective from a bit set."""
    size = 0
    for objective in range(N_OBJECTIVES):
        size += (unseen >> objective) & 1
    left = below(game, size)  # how many of them to skip
    for objective in range(N_OBJECTIVES):
        if (unseen >> objective) & 1:
            if left == 0:
                return objective
            left -= 1
    return NOBODY


@rule
def choose_rest(game: Record, seat: int) -> None:
    """Draw a secret rest choice, uniformly from the different activated cards (Rules P2)."""
    different = 0
    for member in range(game["troupe_len"][seat]):
        different += is_first_active(game, seat, member)
    left = below(game, different)  # how many of them to skip
    for member in range(game["troupe_len"][seat]):
        if is_first_active(game, seat, member):
            if left == 0:
                game["kept"][seat] = game["card"][seat, member]
                return
            left -= 1


@rule
def is_first_active(game: Record, seat: int, member: int) -> bool:
    """Return whether a member is the first copy of its card that was activated today."""
    if not game["cylinder"][seat, member]:
        return False
    for earlier in range(member):
        if (
            game["cylinder"][seat, earlier]
            and game["card"][seat, earlier] == game["card"][seat, member]
        ):
            return False
    return True
