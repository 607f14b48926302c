"""The scoring at the end of the game (section F)."""

from __future__ import annotations

from typing import Any

from shakespeare_env.compile.decorators import rule
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.rules.boards import discs_ahead, gain_prestige
from shakespeare_env.shakespeare.state import NOBODY

_HIGHEST_COST = int(t.COST.max())


@rule
def metric(game: Record, seat: int, which: int) -> int:
    """Return what a metric counts for a seat now (Rules F1a).

    `t.SACRIFICE` counts all pounds of the seat, of which it may give up fewer at the end.
    """
    if which == t.FIRST_PLACES:
        first = 0
        for act in range(3):
            first += discs_ahead(game, act, seat) == 0
        return first
    if which == t.SACRIFICE:
        return game["pounds"][seat]
    if which == t.LOWEST_ACT:
        spaces = game["disc_space"]
        return min(spaces[0, seat], spaces[1, seat], spaces[2, seat])
    if which == t.STAGE_SPACES:
        filled = 0
        for space in range(t.N_SPACES):
            filled += game["stage"][seat, space] >= 0
        return filled
    if which == t.STAGE_COLOURS:
        colours = 0
        for space in range(t.N_SPACES):
            if game["stage"][seat, space] >= 0:
                colours |= 1 << game["stage"][seat, space]
        different = 0
        for colour in range(t.N_COLOURS):
            different += (colours >> colour) & 1
        return different
    if which == t.YELLOW_ELEMENTS:
        return game["yellow"][seat]
    return troupe_metric(game, seat, which)


@rule
def troupe_metric(game: Record, seat: int, which: int) -> int:
    """Return the value of a metric that counts members of the troupe (Rules F1a)."""
    count = 0
    best = 0
    for member in range(game["troupe_len"][seat]):
        face_up = game["extra"][seat, member] == 0
        card = game["card"][seat, member]
        if game["costume_len"][seat, member] == t.N_SLOTS:
            count += which == t.COMPLETE_COSTUMES  # adds 1 if this metric is asked for
            best = max(best, game["costume_value"][seat, member])
        if face_up and which == t.ACTORS_HIRED:
            count += t.KIND[card] == t.ACTOR
        elif face_up and which == t.CRAFTSMEN_HIRED:
            count += t.IS_CRAFTSMAN[card]
    return best if which == t.BEST_COSTUME else count


@rule
def reward(objective: int, value: int) -> int:
    """Return an objective's prestige for a value of its metric (Rules F1)."""
    return int(t.OBJECTIVE_PRESTIGE[objective, min(value, t.MOST_COUNTED)])


@rule
def wage(card: int, face_down: int) -> int:
    """Return a character's wage at the end (Rules F3).

    Extras, which lie face down, and the characters printed on the board have none.
    """
    return 0 if face_down else int(t.COST[card])


@rule
def pay_wages(game: Record, seat: int, pounds: int) -> tuple[int, int]:
    """Return the result of paying as many characters as possible, cheapest first (Rules F3).

    Returns:
        The number of unpaid characters, and the pounds left.
    """
    unpaid = 0
    for cost in range(1, _HIGHEST_COST + 1):
        for member in range(game["troupe_len"][seat]):
            if wage(game["card"][seat, member], game["extra"][seat, member]) != cost:
                continue
            if cost <= pounds:
                pounds -= cost
            else:
                unpaid += 1
    return unpaid, pounds


@rule
def score_objectives(game: Record, seat: int) -> None:
    """Score a seat's objectives, the one that asks for pounds last (Rules F1)."""
    sacrifice = NOBODY
    for place in range(game["objectives_len"][seat]):
        objective = game["objectives"][seat, place]
        if t.METRIC[objective] == t.SACRIFICE:
            sacrifice = int(objective)
        else:
            value = metric(game, seat, t.METRIC[objective])
            score_objective(game, seat, objective, value)
    if sacrifice != NOBODY:
        give_up_pounds(game, seat, sacrifice)


@rule
def score_objective(game: Record, seat: int, objective: int, value: int) -> None:
    """Score an objective for the value of its metric (Rules F1)."""
    gain_prestige(game, seat, reward(objective, value))


@rule
def give_up_pounds(game: Record, seat: int, objective: int) -> None:
    """Give up pounds for the objective that rewards it, in the seat's best interest (Rules F1).

    Nothing and the pounds of each step of the objective are compared. Wages are paid from what
    remains. The best gift leads to the most prestige, then the most pounds left, then the fewest
    unpaid characters.
    """
    best_unpaid, best_left = pay_wages(game, seat, game["pounds"][seat])
    best_prestige = t.UNPAID * best_unpaid
    best_gift = 0
    best_reward = 0
    for step in range(t.N_STEPS):
        # Past the last step this is `t.NEVER`, which is more than any seat has.
        gift = int(t.STEP_AT[objective, step])
        if gift > game["pounds"][seat]:
            continue
        unpaid, left = pay_wages(game, seat, game["pounds"][seat] - gift)
        prestige = t.STEP_PRESTIGE[objective, step] + t.UNPAID * unpaid
        is_better = prestige > best_prestige
        if prestige == best_prestige:
            is_better = left > best_left or (left == best_left and unpaid < best_unpaid)
        if is_better:
            best_prestige = prestige
            best_left = left
            best_unpaid = unpaid
            best_gift = gift
            best_reward = int(t.STEP_PRESTIGE[objective, step])
    game["pounds"][seat] -= best_gift
    gain_prestige(game, seat, best_reward)


@rule
def finish(game: Record) -> None:
    """Score objectives, yellow elements and wages, and name the winners (Rules F1 to F4)."""
    for seat in range(game["players"]):
        score_objectives(game, seat)
        score_yellow(game, seat)
        score_wages(game, seat)
    name_winners(game)


@rule
def score_yellow(game: Record, seat: int) -> None:
    """Score 1 prestige for each yellow element (Rules F2)."""
    gain_prestige(game, seat, game["yellow"][seat])


@rule
def score_wages(game: Record, seat: int) -> None:
    """Pay the wages and lose prestige for every unpaid character (Rules F3)."""
    unpaid, left = pay_wages(game, seat, game["pounds"][seat])
    gain_prestige(game, seat, t.UNPAID * unpaid)
    game["pounds"][seat] = left
    game["unpaid"][seat] = unpaid


@rule
def name_winners(game: Record) -> None:
    """Make the seats that nobody beats the winners (Rules F4)."""
    for seat in range(game["players"]):
        game["winners"][seat] = 0 if is_beaten(game, seat) else 1


@rule
def is_beaten(game: Record, seat: int) -> bool:
    """Return whether another seat has more prestige, or as much and more pounds (Rules F4)."""
    for other in range(game["players"]):
        has_more = game["prestige"][other] > game["prestige"][seat]
        has_equal = game["prestige"][other] == game["prestige"][seat]
        if has_more or (has_equal and game["pounds"][other] > game["pounds"][seat]):
            return True
    return False


@rule
def scores(game: Record, out: Any) -> None:
    """Write every seat's prestige into int16[seats] (Rules F4)."""
    for seat in range(t.N_SEATS):
        out[seat] = game["prestige"][seat]
