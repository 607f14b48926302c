"""What a seat may know, as int8 numbers with names (Rules D3).

The layout is seat-relative: block `seat0` is the observer, `seat1` the seat that follows it in seat order, and so
on; blocks of seats that are not at the table are all zero.  It is the same for 1 to 4 seats.  The others'
objectives, their wagers and rest choices before they are revealed, the order of the deck and of the objectives (but
for cards the observer put back itself) and the random state are never read here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from shakespeare_env.compiled import rule
from shakespeare_env.game import ObservationLayout, Record
from shakespeare_env.shakespeare import state as s
from shakespeare_env.shakespeare import tables as t
from shakespeare_env.shakespeare.acts import ahead
from shakespeare_env.shakespeare.box import ACTS, COLOURS
from shakespeare_env.shakespeare.phases.rehearsal import FIRST_REHEARSAL, LAST_REHEARSAL

_LOW, _HIGH = -128, 127
_COUNT = 100

_SEAT_SCALARS = (
    ("present", 0, 1, "1 if the seat is at the table"),
    ("to_move", 0, 1, "1 if it decides now"),
    ("prestige", _LOW, _HIGH, "prestige so far"),
    ("pounds", 0, _HIGH, "pounds"),
    ("tokens", 0, 30, '"+3" tokens'),
    ("mood", -2, 3, "mood"),
    ("wager", 0, t.WAGERS, "wager of the day; 0 while it is a secret or not chosen"),
    ("has_wagered", 0, 1, "1 once the wager is chosen, seen or not"),
    ("cylinders", 0, t.WAGERS, "cylinders still to be placed today"),
    ("cylinders_used", 0, t.WAGERS, "characters activated today"),
    ("recruited", 0, 1, "1 once it has recruited today"),
    ("passed", 0, 1, "1 once it has passed today"),
    ("has_kept", 0, 1, "1 once its secret rest choice is made"),
    ("queue", 0, t.SEATS, "place among the seats still to be served in phases 3, 4 and 6; 0 if not waiting"),
    ("wages", 0, _HIGH, "pounds it would take to pay every character (F3)"),
    ("extras", 0, t.EXTRAS, "extras in the troupe"),
    ("objectives", 0, t.OBJECTIVES, "objectives kept, unseen"),
)
(
    _PRESENT,
    _TO_MOVE,
    _PRESTIGE,
    _POUNDS,
    _TOKENS,
    _MOOD,
    _WAGER,
    _HAS_WAGERED,
    _CYLINDERS,
    _USED,
    _RECRUITED,
    _PASSED,
    _HAS_KEPT,
    _QUEUE,
    _WAGES,
    _EXTRAS,
    _N_OBJECTIVES,
) = range(len(_SEAT_SCALARS))

_acts = ", ".join(f"Act {act}" for act in ACTS)
_cards = ", ".join(t.CARD_IDS)
_deck = ", ".join(t.DECK_IDS)
_wearers = ", ".join(t.WEARER_IDS)
_colours = ", ".join(COLOURS)
_objectives = ", ".join(t.OBJECTIVE_IDS)
_two_kinds = f"costumes then stage sets, each by colour: {_colours}"

_SEAT_FIELDS = (
    *((name, 1, low, high, words) for name, low, high, words in _SEAT_SCALARS),
    ("metrics", t.METRICS, 0, _HIGH, f"what objectives count, as it stands (F1a): {', '.join(t.METRIC_NAMES)}"),
    ("order", t.SEATS, 0, 1, "one-hot: place in Order"),
    ("initiative", t.SEATS, 0, 1, "one-hot: place on the Initiative track; none before it is on it"),
    ("act_space", 3, 0, 30, f"space of the disc: {_acts}"),
    ("act_ahead", 3, 0, t.DISCS - 1, f"discs ahead of it, the neutral one included (T7): {_acts}"),
    ("act_to_reward", 3, 0, 30, f"spaces to the next better result of a scoring (R2), 0 if none: {_acts}"),
    ("cards", t.CARDS, 0, 8, f"characters face up: {_cards}"),
    ("active", t.CARDS, 0, 8, f"of these, with a cylinder: {_cards}"),
    ("resting", t.CARDS, 0, 8, f"of these, with a rest token: {_cards}"),
    ("costume_elements", t.WEARERS, 0, t.COSTUME_SLOTS, f"elements on each costume: {_wearers}"),
    ("costume_value", t.WEARERS, 0, 15, f"value of each costume so far: {_wearers}"),
    ("stage", t.SPACES * t.N_COLOURS, 0, 1, f"one-hot colour ({_colours}) of each space: {', '.join(t.SPACE_IDS)}"),
)
_TABLE_FIELDS = (
    ("players", t.SEATS, 0, 1, "one-hot: number of seats, 1 to 4"),
    ("strategic_rest", 1, 0, 1, "1 with strategic rest (P4)"),
    ("day", t.DAYS, 0, 1, "one-hot: day, 1 to 6"),
    ("days_to_rehearsal", 1, 0, t.DAYS, "days to the next rehearsal, 0 on its day"),
    ("phase", len(s.PHASE_NAMES), 0, 1, "one-hot: " + ", ".join(s.PHASE_NAMES)),
    ("part", len(s.PART_NAMES), 0, 1, "one-hot, the part of the day under way: " + ", ".join(s.PART_NAMES)),
    ("quills", 1, 0, _HIGH, "white quills still to be placed"),
    ("craft_value", 1, 0, _HIGH, "what may still be spent on elements"),
    ("craft_costumes", 1, 0, 1, "1 if costumes may be taken"),
    ("craft_sets", 1, 0, 1, "1 if stage sets may be taken"),
    ("craft_optional", 1, 0, 1, "1 if no element need be taken"),
    ("craft_colours", t.N_COLOURS, 0, 1, f"1 if the colour may be taken: {_colours}"),
    ("shown", t.DECK, 0, 8, f"characters shown: {_deck}"),
    ("deck", t.DECK, 0, 8, f"characters not yet seen, still in the deck: {_deck}"),
    ("discarded_cards", t.DECK, 0, 8, f"characters discarded: {_deck}"),
    ("display", 2 * t.N_COLOURS, 0, _COUNT, f"elements on display, {_two_kinds}"),
    ("bag", 2 * t.N_COLOURS, 0, _COUNT, f"elements left in the bags, {_two_kinds}"),
    ("discarded", 2 * t.N_COLOURS, 0, _COUNT, f"elements out of the game, {_two_kinds}"),
    ("supply_tokens", 1, 0, 30, '"+3" tokens in the supply'),
    ("neutral_space", 3, 0, 30, f"space of the neutral disc, 0 but in solo: {_acts}"),
    ("objective_deck", 1, 0, t.OBJECTIVES, "objectives in the pile"),
    ("drawn", 1, 0, t.QUEEN_CARDS, "objectives the seat to move has drawn"),
    ("own_drawn", t.OBJECTIVES, 0, 1, f"1 if the observer has drawn it and chooses now: {_objectives}"),
    ("own_objectives", t.OBJECTIVES, 0, 1, f"1 if the observer keeps it: {_objectives}"),
    ("known_in_pile", t.OBJECTIVES, 0, t.OBJECTIVES, f"depth in the pile if the observer put it there: {_objectives}"),
    ("own_reward", t.OBJECTIVES, 0, 3, f"prestige each objective would bring the observer now: {_objectives}"),
    ("own_to_step", t.OBJECTIVES, 0, _HIGH, f"what the observer lacks to each one's next step, 0 if none: {_objectives}"),
    ("own_kept", t.CARDS, 0, 1, f"one-hot: the observer's secret rest choice: {_cards}"),
)

LAYOUT = ObservationLayout(
    [*((f"seat{i}.{f[0]}", *f[1:]) for i in range(t.SEATS) for f in _SEAT_FIELDS), *_TABLE_FIELDS]
)


def _seat(name: str) -> int:
    return LAYOUT[f"seat0.{name}"].start


SEAT_SIZE = sum(f[1] for f in _SEAT_FIELDS)
_METRICS = _seat("metrics")
_ORDER, _INITIATIVE = _seat("order"), _seat("initiative")
_ACT_SPACE, _ACT_AHEAD, _ACT_TO_REWARD = _seat("act_space"), _seat("act_ahead"), _seat("act_to_reward")
_CARDS, _ACTIVE, _RESTING = _seat("cards"), _seat("active"), _seat("resting")
_ELEMENTS, _VALUES, _STAGE = _seat("costume_elements"), _seat("costume_value"), _seat("stage")

_at = {name: LAYOUT[name].start for name, *_ in _TABLE_FIELDS}
_PLAYERS, _STRATEGIC, _DAY, _TO_REHEARSAL = _at["players"], _at["strategic_rest"], _at["day"], _at["days_to_rehearsal"]
_PHASE, _PART, _QUILLS, _CRAFT = _at["phase"], _at["part"], _at["quills"], _at["craft_value"]
_CRAFT_COLOURS, _SHOWN, _DECK, _DISCARDED_CARDS = _at["craft_colours"], _at["shown"], _at["deck"], _at["discarded_cards"]
_DISPLAY, _BAG, _DISCARDED = _at["display"], _at["bag"], _at["discarded"]
_SUPPLY, _NEUTRAL, _PILE, _DRAWN = _at["supply_tokens"], _at["neutral_space"], _at["objective_deck"], _at["drawn"]
_OWN_DRAWN, _OWN, _KNOWN = _at["own_drawn"], _at["own_objectives"], _at["known_in_pile"]
_OWN_REWARD, _OWN_TO_STEP, _OWN_KEPT = _at["own_reward"], _at["own_to_step"], _at["own_kept"]


def _spaces_to_reward() -> npt.NDArray[np.int8]:
    """int8[act, space]: spaces from each space to the next better result of a scoring (Rules R2)."""
    steps = (
        (t.GREY_SPACES + 1, *(space for space, _ in t.ACT_I_POUNDS)),
        (t.GREY_SPACES + 1,),
        (t.GREY_SPACES + 1, *(space for space, _ in t.ACT_III_PRESTIGE)),
    )
    table = np.zeros((3, int(t.ACT_LENGTH.max()) + 1), np.int8)
    for act in range(3):
        for space in range(table.shape[1]):
            table[act, space] = min((step - space for step in steps[act] if step > space), default=0)
    return table


def _objective_tables() -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
    """int8[objective, value]: prestige at a value of the metric, and what lacks to the next step (Rules F1)."""
    prestige = np.zeros((t.OBJECTIVES, _HIGH + 1), np.int8)
    lack = np.zeros((t.OBJECTIVES, _HIGH + 1), np.int8)
    for objective in range(t.OBJECTIVES):
        for at, points in zip(t.STEP_AT[objective], t.STEP_PRESTIGE[objective], strict=True):
            if at <= _HIGH:
                prestige[objective, at:] = points
        for value in range(_HIGH + 1):
            steps = [at - value for at in t.STEP_AT[objective] if value < at <= _HIGH]
            lack[objective, value] = min(steps, default=0)
    return prestige, lack


_TO_REWARD = _spaces_to_reward()
_PRESTIGE_AT, _LACK_AT = _objective_tables()


@rule
def observe(game: Record, seat: int, out: Any) -> None:
    """Write all that a seat may know into int8[D], all 0 before (Rules D3)."""
    players = int(game["players"])
    other = seat
    for offset in range(players):
        block = out[offset * SEAT_SIZE : (offset + 1) * SEAT_SIZE]
        observe_seat(game, seat, other, block)
        observe_troupe(game, other, block)
        observe_stage(game, other, block)
        observe_acts(game, other, block)
        other = other + 1 if other + 1 < players else 0
    observe_places(game, seat, out)
    observe_table(game, out)
    observe_own(game, seat, out)


@rule
def clipped(value: int) -> int:
    """A count as an int8."""
    return min(max(value, _LOW), _HIGH)


@rule
def observe_seat(game: Record, observer: int, seat: int, out: Any) -> None:
    """The public side of one seat; its wager only once it is public or its own (Rules D2, D3)."""
    wager = game["wager"][seat]
    out[_PRESENT] = 1
    out[_TO_MOVE] = game["to_move"] == seat
    out[_PRESTIGE] = clipped(game["prestige"][seat])
    out[_POUNDS] = clipped(game["pounds"][seat])
    out[_TOKENS] = game["tokens"][seat]
    out[_MOOD] = game["mood"][seat]
    out[_HAS_WAGERED] = wager > 0
    out[_WAGER] = wager if seat == observer or game["part"] != s.IN_WAGER else 0
    out[_CYLINDERS] = game["cylinders"][seat]
    out[_RECRUITED] = game["recruited"][seat]
    out[_PASSED] = game["passed"][seat]
    out[_HAS_KEPT] = game["kept"][seat] != s.NOBODY
    out[_N_OBJECTIVES] = game["objectives_len"][seat]
    out[_METRICS + t.SACRIFICE] = out[_POUNDS]
    out[_METRICS + t.YELLOW_ELEMENTS] = game["yellow"][seat]


@rule
def observe_troupe(game: Record, seat: int, out: Any) -> None:
    """A seat's characters and costumes."""
    cards, face_down = game["card"][seat], game["extra"][seat]
    cylinder, resting = game["cylinder"][seat], game["rest"][seat]
    elements, values = game["costume_len"][seat], game["costume_value"][seat]
    used = wages = best = complete = actors = craftsmen = 0
    next_extra = t.ACTORS
    for member in range(int(game["troupe_len"][seat])):
        card = int(cards[member])
        if face_down[member]:
            wearer = next_extra
            next_extra += 1
        else:
            wearer = t.WEARER_OF_CARD[card]
            out[_CARDS + card] += 1
            out[_ACTIVE + card] += cylinder[member]
            out[_RESTING + card] += resting[member]
            used += cylinder[member]
            wages += t.COST[card]
            actors += wearer >= 0
            craftsmen += t.IS_CRAFTSMAN[card]
        if elements[member]:
            out[_ELEMENTS + wearer] = elements[member]
            out[_VALUES + wearer] = values[member]
            if elements[member] == t.COSTUME_SLOTS:
                complete += 1
                best = max(best, int(values[member]))
    out[_USED] = used
    out[_WAGES] = clipped(wages)
    out[_EXTRAS] = next_extra - t.ACTORS
    out[_METRICS + t.COMPLETE_COSTUMES] = complete
    out[_METRICS + t.BEST_COSTUME] = best
    out[_METRICS + t.N_ACTORS] = actors
    out[_METRICS + t.CRAFTSMEN] = craftsmen


@rule
def observe_stage(game: Record, seat: int, out: Any) -> None:
    """A seat's stage, written without a branch: which spaces are filled is too irregular to predict."""
    stage = game["stage"][seat]
    colours = 0
    filled = 0
    for space in range(t.SPACES):
        colour = int(stage[space])
        there = int(colour >= 0)
        shift = max(colour, 0)
        out[_STAGE + space * t.N_COLOURS + shift] = there
        colours |= there << shift
        filled += there
    different = 0
    for colour in range(t.N_COLOURS):
        different += (colours >> colour) & 1
    out[_METRICS + t.STAGE_SPACES] = filled
    out[_METRICS + t.STAGE_COLOURS] = different


@rule
def observe_acts(game: Record, seat: int, out: Any) -> None:
    """A seat's discs on the acts (Rules T7)."""
    first_places = 0
    lowest = 127
    for act in range(3):
        space = int(game["disc_space"][act, seat])
        before = ahead(game, act, seat)
        out[_ACT_SPACE + act] = space
        out[_ACT_AHEAD + act] = before
        out[_ACT_TO_REWARD + act] = _TO_REWARD[act, space]
        first_places += before == 0
        lowest = min(lowest, space)
    out[_METRICS + t.FIRST_PLACES] = first_places
    out[_METRICS + t.LOWEST_ACT] = lowest


@rule
def block_of(game: Record, observer: int, seat: int) -> int:
    """Where the block of a seat begins, seen from the observer."""
    offset = seat - observer
    return (offset if offset >= 0 else offset + int(game["players"])) * SEAT_SIZE


@rule
def observe_places(game: Record, observer: int, out: Any) -> None:
    """Places on the tracks, written into the seats' blocks."""
    for place in range(int(game["players"])):
        out[block_of(game, observer, game["order"][place]) + _ORDER + place] = 1
    for place in range(int(game["initiative_len"])):
        out[block_of(game, observer, game["initiative"][place]) + _INITIATIVE + place] = 1
    for place in range(int(game["queue_len"])):
        out[block_of(game, observer, game["queue"][place]) + _QUEUE] = place + 1


@rule
def observe_table(game: Record, out: Any) -> None:
    """What lies in the middle of the table, all of it public."""
    day = int(game["day"])
    out[_PLAYERS + int(game["players"]) - 1] = 1
    out[_STRATEGIC] = game["strategic_rest"]
    out[_DAY + day - 1] = 1
    out[_TO_REHEARSAL] = (FIRST_REHEARSAL if day <= FIRST_REHEARSAL else LAST_REHEARSAL) - day
    out[_PHASE + int(game["phase"])] = 1
    out[_PART + int(game["part"])] = 1
    out[_QUILLS] = game["quills"]
    out[_CRAFT] = game["craft_value"]
    out[_CRAFT + 1] = game["craft_costumes"]
    out[_CRAFT + 2] = game["craft_sets"]
    out[_CRAFT + 3] = game["craft_optional"]
    for colour in range(t.N_COLOURS):
        out[_CRAFT_COLOURS + colour] = (game["craft_colours"] >> colour) & 1
    for card in range(t.DECK):
        out[_SHOWN + card] = game["shown"][card]
    for card in range(t.DECK):
        out[_DECK + card] = game["deck"][card]
    for card in range(t.DECK):
        out[_DISCARDED_CARDS + card] = game["discarded_cards"][card]
    for kind in range(2):
        for colour in range(t.N_COLOURS):
            here = kind * t.N_COLOURS + colour
            out[_DISPLAY + here] = game["display"][kind, colour]
            out[_BAG + here] = game["bag"][kind, colour]
            out[_DISCARDED + here] = game["discarded"][kind, colour]
    out[_SUPPLY] = game["supply_tokens"]
    for act in range(3):
        out[_NEUTRAL + act] = game["disc_space"][act, t.NEUTRAL]
    out[_PILE] = game["objective_deck_len"]
    out[_DRAWN] = game["drawn_len"]


@rule
def observe_own(game: Record, seat: int, out: Any) -> None:
    """What only the observer knows: its objectives, what it put back in the pile, its own secret choice."""
    if game["to_move"] == seat:
        for place in range(int(game["drawn_len"])):
            out[_OWN_DRAWN + int(game["drawn"][place])] = 1
    kept = game["objectives"][seat]
    for place in range(int(game["objectives_len"][seat])):
        out[_OWN + int(kept[place])] = 1
    for place in range(int(game["objective_deck_len"])):
        if game["objective_known"][place] == seat:
            out[_KNOWN + int(game["objective_deck"][place])] = place + 1
    if game["kept"][seat] != s.NOBODY:
        out[_OWN_KEPT + int(game["kept"][seat])] = 1
    for objective in range(t.OBJECTIVES):
        value = out[_METRICS + int(t.METRIC[objective])]
        out[_OWN_REWARD + objective] = _PRESTIGE_AT[objective, value]
        out[_OWN_TO_STEP + objective] = _LACK_AT[objective, value]
