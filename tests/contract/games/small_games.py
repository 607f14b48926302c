"""Small games made with `define`: hidden hands, hidden choices, and an open pass beside both."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from shakespeare_env import Check, GameRecord, GameRules, StateField, below, define, rule
from tests.registered_games import registering

COLOURS = ("red", "blue", "green")
CARDS = 3
MOVES = 2  # of each seat
SEATS = range(2, 4)
PASS = len(COLOURS)
NO_CARD = -1


@rule
def deal(game: Any, players: int, options: int) -> None:
    """Three cards for each seat, of any colours."""
    game["players"] = players
    game["to_move"] = below(game, players)
    game["winners"][:] = 0
    game["hand"][:] = 0
    game["laid"][:] = 0  # of absent seats
    game["moved"][:] = 0
    for seat in range(players):
        game["laid"][seat] = NO_CARD
        for _ in range(CARDS):
            game["hand"][seat, below(game, len(COLOURS))] += 1


@rule
def deal_to_lay_face_down(game: Any, players: int, options: int) -> None:
    """Three cards for each seat, and nobody has passed."""
    deal(game, players, options)
    game["passed"][:] = 0


@rule
def card_or_pass(game: Any, mask: Any) -> int:
    """A card of one's hand, or a pass."""
    mask[PASS] = True
    allowed = 1
    for colour in range(len(COLOURS)):
        if game["hand"][game["to_move"], colour] > 0:
            mask[colour] = True
            allowed += 1
    return allowed


@rule
def lay(game: Any, action: int) -> None:
    """Lay a card before oneself, or pass; after two moves of each seat the last one has won."""
    mover = game["to_move"]
    game["laid"][mover] = NO_CARD
    if action != PASS:
        game["hand"][mover, action] -= 1
        game["laid"][mover] = action
    game["moved"][mover] += 1
    game["to_move"] = (mover + 1) % game["players"]
    if game["moved"][game["to_move"]] == MOVES:
        game["to_move"] = -1
        game["winners"][mover] = 1


@rule
def lay_face_down(game: Any, action: int) -> None:
    """Lay a card as in the other game; all see who has passed."""
    game["passed"][game["to_move"]] = action == PASS
    lay(game, action)


@rule
def won(game: Any, out: Any) -> None:
    """A point for the winner."""
    for seat in range(game["players"]):
        out[seat] = game["winners"][seat]


@rule
def is_not_laid(game: Any) -> bool:
    """Whether a seat that has moved, and not passed, has no card, or another seat has one."""
    wrong = 0
    for seat in range(game["players"]):
        has_laid = game["moved"][seat] > 0 and game["passed"][seat] == 0
        wrong += has_laid != (game["laid"][seat] != NO_CARD)
    return wrong > 0


@rule
def take_all_cards(game: Any, players: int, options: int) -> None:
    """Each seat holds a card of each number."""
    game["players"] = players
    game["to_move"] = 0
    game["prize"] = below(game, CARDS)
    game["winners"][:] = 0
    game["held"][:] = 0  # of absent seats
    game["bid"][:] = 0
    game["last"][:] = 0
    game["points"][:] = 0
    for seat in range(players):
        game["held"][seat] = 1
        game["bid"][seat] = game["last"][seat] = NO_CARD


@rule
def cards_held(game: Any, mask: Any) -> int:
    """A card that one has not bid yet."""
    allowed = 0
    for card in range(CARDS):
        if game["held"][game["to_move"], card] != 0:
            mask[card] = True
            allowed += 1
    return allowed


@rule
def bid(game: Any, action: int) -> None:
    """Bid in secret; when all have bid, the bids are turned up, and the highest take the prize."""
    game["bid"][game["to_move"]] = action
    game["to_move"] += 1
    if game["to_move"] < game["players"]:
        return
    highest = most = rounds = 0
    for seat in range(game["players"]):
        highest = max(highest, game["bid"][seat])
    for seat in range(game["players"]):
        card = game["bid"][seat]
        game["held"][seat, card] = 0
        game["last"][seat] = card
        game["bid"][seat] = NO_CARD
        if card == highest:
            game["points"][seat] += game["prize"] + 1
        most = max(most, game["points"][seat])
    for card in range(CARDS):
        rounds += game["held"][0, card] == 0
    game["to_move"] = 0
    game["prize"] = below(game, CARDS)
    if rounds == MOVES:
        game["to_move"] = -1
        for seat in range(game["players"]):
            game["winners"][seat] = game["points"][seat] == most


@rule
def take_back_bids(game: Any) -> bool:
    """Take back the bids that are not turned up yet."""
    if game["to_move"] <= 0:
        return False
    for seat in range(game["players"]):
        game["bid"][seat] = NO_CARD
    game["to_move"] = 0
    return True


@rule
def prizes(game: Any, out: Any) -> None:
    """The prizes taken."""
    for seat in range(game["players"]):
        out[seat] = game["points"][seat]


@rule
def is_out_of_turn(game: Any) -> bool:
    """Whether one before the mover has not bid a card that it holds, or another has bid."""
    wrong = 0
    for seat in range(game["players"]):
        card = game["bid"][seat]
        if game["to_move"] >= 0 and (card != NO_CARD) != (seat < game["to_move"]):
            wrong += 1
        if card != NO_CARD and game["held"][seat, card] == 0:
            wrong += 1
    return wrong > 0


_WORDS = ("-", *COLOURS)
_MOST = SEATS[-1]
_HAND = StateField(
    "hand", 0, CARDS, (_MOST, 3), by_seat=True, visible="owner", form="counts", places=COLOURS
)
_MOVED = StateField("moved", 0, MOVES, _MOST, by_seat=True)
_LAYS = {colour: f"lay a {colour} card" for colour in COLOURS} | {"pass": "pass openly"}

HANDS = define(
    "hands",
    seats=SEATS,
    rules=GameRules(actions=_LAYS, set_up=deal, legal=card_or_pass, play=lay, scores=won),
    record=GameRecord(
        fields=[_HAND, StateField("laid", NO_CARD, 2, _MOST, by_seat=True, words=_WORDS), _MOVED]
    ),
)
"""Cards are held in secret and laid openly, so every move is told."""
FACE_DOWN = define(
    "facedown",
    seats=SEATS,
    rules=GameRules(
        actions=_LAYS,
        set_up=deal_to_lay_face_down,
        legal=card_or_pass,
        play=lay_face_down,
        scores=won,
    ),
    record=GameRecord(
        fields=[
            _HAND,
            StateField("laid", NO_CARD, 2, _MOST, by_seat=True, words=_WORDS, visible="owner"),
            StateField("passed", 0, 1, _MOST, by_seat=True),
            _MOVED,
        ],
        checks=[Check("laid", "those who moved and did not pass have laid a card", is_not_laid)],
    ),
)
"""Cards are laid face down, or one passes openly; a hand of one colour leaves a single card."""
BIDS = define(
    "bids",
    seats=SEATS,
    rules=GameRules(
        actions={f"bid:{card}": f"bid {card}" for card in range(CARDS)},
        set_up=take_all_cards,
        legal=cards_held,
        play=bid,
        scores=prizes,
        rewind=take_back_bids,
    ),
    record=GameRecord(
        fields=[
            StateField("prize", 0, CARDS - 1),
            StateField("held", 0, 1, (_MOST, CARDS), by_seat=True),
            StateField("bid", NO_CARD, CARDS - 1, _MOST, by_seat=True, visible="owner"),
            StateField("last", NO_CARD, CARDS - 1, _MOST, by_seat=True),
            StateField("points", 0, MOVES * CARDS, _MOST, by_seat=True),
        ],
        checks=[Check("bid", "those before the mover have bid a card they hold", is_out_of_turn)],
    ),
)
"""Seats choose at the same time; the last choice turns all up, so it alone is told."""


@rule
def mark_nothing(game: Any, players: int, options: int) -> None:
    """Nothing is marked or chosen yet."""
    game["players"] = players
    game["to_move"] = 0
    game["winners"][:] = 0
    game["mark"] = 0
    game["moved"] = 0
    game["chosen"][:] = 0


@rule
def choose_or_wipe(game: Any, mask: Any) -> int:
    """One of two choices; a mark on the table must be wiped off."""
    if game["mark"] != 0:
        mask[2] = True
        return 1
    mask[0] = True
    mask[1] = True
    return 2


@rule
def mark_or_wipe(game: Any, action: int) -> None:
    """Mark a choice, or wipe the mark off, which ends the turn; the first seat wins."""
    if action != 2:
        game["chosen"][game["to_move"]] = action
        game["mark"] = action + 1
        return
    game["mark"] = 0
    game["moved"] += 1
    game["to_move"] = game["moved"] % game["players"]
    if game["moved"] == 2 * MOVES:
        game["to_move"] = -1
        game["winners"][0] = 1


MARKS = define(
    "marks",
    seats=range(2, 3),
    rules=GameRules(
        actions={"one": "choose one", "two": "choose two", "wipe": "wipe the mark off"},
        set_up=mark_nothing,
        legal=choose_or_wipe,
        play=mark_or_wipe,
        scores=won,
    ),
    record=GameRecord(
        fields=[
            StateField("mark", 0, 2),
            StateField("moved", 0, 2 * MOVES),
            StateField("chosen", 0, 1, 2, by_seat=True, visible="owner"),
        ]
    ),
)
"""For two: a choice leaves a mark, which a forced move wipes off before anybody looks."""
NAMES = ("hands", "facedown", "bids")


def registered() -> AbstractContextManager[None]:
    """Let the games be known by their names, for a while; to processes started then, too."""
    return registering(*(f"{__file__}:{name}" for name in ("HANDS", "FACE_DOWN", "BIDS", "MARKS")))
