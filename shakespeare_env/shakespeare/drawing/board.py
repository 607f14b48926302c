"""The board as panels of pieces and as one picture, and where a move is clicked on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from shakespeare_env.core.game import UNKNOWN
from shakespeare_env.core.presentation import Panel, Piece
from shakespeare_env.drawing import board as page
from shakespeare_env.drawing.board import seat_title
from shakespeare_env.drawing.shapes import PANEL, Block, Elements, box, label, star
from shakespeare_env.shakespeare.box import printed as b
from shakespeare_env.shakespeare.drawing import seat as seats
from shakespeare_env.shakespeare.drawing import shapes, table
from shakespeare_env.shakespeare.text import wording as w
from shakespeare_env.shakespeare.text.standing import wage, worth_now

_FRAME = 10


def board(position: Mapping[str, Any], names: Sequence[str] = ()) -> list[Panel]:
    """Return the panels of a position (`Position.to_dict` or `seen_by`)."""
    panels = [*_choice(position), *_table(position)]
    panels += [_seat(position, seat, names) for seat in range(position["players"])]
    return panels


def _choice(position: Mapping[str, Any]) -> list[Panel]:
    if position["phase"] == "queen":
        gifts = [
            Piece(f"queen-{offer}", f"The Queen: {meaning}", table.draw_gift(offer))
            for offer, meaning in table.QUEEN_OFFERS.items()
        ]
        return [Panel("choice", "The Queen's offers", gifts)]
    if position["phase"] == "objective":
        drawn = []
        for number, card in enumerate(position["pending"]["drawn"], 1):
            words = _objective_words(position, position["to_move"], card)
            title = "Unknown objective" if card == UNKNOWN else f"Objective {words}"
            drawn.append(Piece(f"drawn-{number}", title, table.draw_objective(position, card)))
        return [Panel("choice", "Objectives drawn", drawn)]
    return []


def _table(position: Mapping[str, Any]) -> list[Panel]:
    elements = "Elements on offer, in the bags, and out of the game"
    pieces = [
        Piece("acts", "Acts, and the discs on them", table.draw_acts(position)),
        Piece("elements", elements, table.draw_elements(position)),
        Piece("order", "Player order, initiative, tokens left", table.draw_order(position)),
    ]
    summary = Piece("table-summary", "Acts and elements on offer", table.draw_table(position))
    panels = [Panel("table", "Acts and elements", pieces, summary=summary)]
    offers = []
    for card, copies in Counter(position["display"]["characters"]).items():
        known = b.CARDS[card]
        kind = known.kind.replace("_", " ")
        cost = b.plural(known.cost, "pound")
        title = f"{known.name}, {kind}, costs {cost}"
        if copies > 1:
            title += f", {copies} copies"
        offers.append(Piece(f"character-{card}", title, seats.draw_offer(card, copies)))
    if offers:
        summary = Piece("offers-summary", "On offer", table.draw_offers(position))
        panels.append(Panel("offers", "Characters on offer", offers, summary=summary))
    width = table.WIDTH - 2 * _FRAME
    piles = [
        Piece(f"pile-{pile}", title, _framed(table.draw_pile(position, pile, width)))
        for pile, title in table.PILES.items()
    ]
    return [*panels, Panel("piles", "Piles", piles, aside=True)]


def _seat(position: Mapping[str, Any], seat: int, names: Sequence[str]) -> Panel:
    mine = position["seats"][seat]
    own = f"seat-{seat}"
    name = names[seat] if names else ""
    title = _state_words(position, seat, name)
    pieces = [Piece(f"{own}-state", title, seats.draw_state(position, seat, name))]
    for place, (member, extra) in enumerate(w.members(mine)):
        card = seats.draw_member(member, extra, seat, place)
        pieces.append(Piece(f"{own}-troupe-{place}", _member_words(member, extra), card))
    filled = ", ".join(f"{space} {colour}" for space, colour in mine["stage"].items()) or "empty"
    wall = _framed(seats.draw_wall(mine["stage"], seat, 308, 46, 44, 1))
    pieces.append(Piece(f"{own}-stage", f"Stage of {name or f'seat {seat}'}: {filled}", wall))
    summary = Piece(f"{own}-summary", title, seats.draw_summary(position, seat, name))
    return Panel(own, seat_title(seat, name), pieces, seat, summary)


def _state_words(position: Mapping[str, Any], seat: int, name: str) -> str:
    mine = position["seats"][seat]
    facts = w.seat_facts(position, seat)
    listed = [f"{fact} {value}".strip() for fact, value in facts.items() if value]
    if position["to_move"] == seat:
        listed.append("decides")
    own = [card for card in mine["objectives"] if card != UNKNOWN]
    known = [_objective_words(position, seat, card) for card in own]
    if known:
        listed.append(f"objectives: {', '.join(known)}")
    unknown = len(mine["objectives"]) - len(known)
    if unknown:
        listed.append(b.plural(unknown, "unknown objective"))
    return f"{seat_title(seat, name)}: {', '.join(listed)}"


def _member_words(member: Mapping[str, Any], extra: str) -> str:
    kind = b.CARDS[member["card"]].kind.replace("_", " ")
    due = wage(member)
    listed = [w.CHARACTERS[member["card"]], w.extra_words(extra).lower() or kind]
    if due:
        listed.append(f"wage {b.plural(due, 'pound')}")
    if member["cylinder"]:
        listed.append("activated")
    if member["rest"]:
        listed.append("resting")
    worn = member["costume"]
    if worn:
        listed.append(f"costume {' '.join(worn)}, value {b.costume_value(worn)}")
    return ", ".join(listed)


def _objective_words(position: Mapping[str, Any], seat: int, card: str) -> str:
    worth = worth_now(position, seat, card)
    return w.OBJECTIVES[card] + (f" brings {worth} now" if worth is not None else "")


def _framed(block: Block) -> Block:
    width = block.width + 2 * _FRAME
    height = block.height + 2 * _FRAME
    return Block([box(0, 0, width, height), block.at(_FRAME, _FRAME)], width, height)


# Heights of the picture's rows.
_TABLE = 412
_SEAT = 232
_PILES = 164
_BESIDE = 310  # width of offers and choices


def picture(position: Mapping[str, Any], names: Sequence[str] = ()) -> str:
    """Draw a position (`Position.to_dict` or `seen_by`) as an SVG document.

    Its size depends on the number of seats alone, so that a game's pictures make a film.
    """
    wide = page.ROOM - _BESIDE - page.GAP
    return page.picture(
        w.headline(position),
        board(position, names),
        [
            (_TABLE, {"table": wide, "offers": _BESIDE}),
            *((_SEAT, {f"seat-{seat}": page.ROOM}) for seat in range(position["players"])),
            (_PILES, {"piles": wide, "choice": _BESIDE}),
        ],
        position["to_move"],
        shapes.SEAT_COLOURS,
        _legend(position["players"] == 1),
    )


def _legend(solo: bool) -> list[tuple[Elements, str]]:
    quills = {"red": "Act I", "gold": "Act II", "blue": "Act III", "white": "any act"}
    return [
        (star(0, 0, 15), "prestige"),
        (shapes.coin(0, 0, 15), "pounds, wage"),
        (shapes.cylinder(0, 0, 15, PANEL), "activation"),
        (shapes.costume(0, 0, 15, shapes.ANY), "costume"),
        ([label(0, 4, "✓8", 11)], "complete costume, its value"),
        (shapes.stage_set(0, 0, 13, shapes.ANY), "stage set"),
        *((shapes.quill(0, 0, 15, colour), act) for colour, act in quills.items()),
        (shapes.mask(0, 0, 15, 1), "mood"),
        (shapes.rest_token(0, 0, 15), "resting"),
        (shapes.candle(0, 0, 15), "candle"),
        (shapes.objective(0, 0, 15), "objective"),
        ([box(-8, -6, 16, 12, fill=shapes.KRAFT, corner=3)], "extra (what lies face down)"),
        *([(shapes.disc(0, 0, 18, 14, "neutral"), "neutral disc")] if solo else []),
    ]


def places(position: Mapping[str, Any], move: str) -> tuple[str, ...]:
    """Return the places to click for a legal move, in order; none if the move is a button.

    The place of what is taken comes first, then the place where it goes.
    """
    kind, _, what = move.partition(":")
    own = f"seat{position['to_move']}"
    if kind in ("draft", "recruit", "extra"):
        return (f"display.characters.{what}",)
    if kind == "activate":
        card = what.removesuffix("+3")
        return _first_member(position, lambda member, _: _can_activate(member, card))
    if kind == "keep":
        return _first_member(
            position, lambda member, _: _is_face_up(member, what) and member["cylinder"]
        )
    if kind == "wager":
        return (f"{own}.cylinders.{what}",)
    if kind in ("quill", "back"):
        space = b.space_of(position["piles"][what], position["to_move"])
        step = 1 if kind == "quill" else -1
        return (f"piles.{what}.{space + step}",)
    if kind == "queen":
        return (f"queen.{what}",)
    if kind == "objective":
        return (f"pending.drawn.{what}",)
    if kind in ("costume", "set"):
        colour, _, goal = what.partition(">")
        if kind == "set":
            return (f"display.sets.{colour}", f"{own}.stage.{goal}")
        # An extra by its number, or the first face-up copy of an actor (Rules T12).
        wearer = _first_member(position, lambda member, extra: (extra or member["card"]) == goal)
        return (f"display.costumes.{colour}", *wearer)
    return ()


def _is_face_up(member: Mapping[str, Any], card: str) -> bool:
    return bool(member["card"] == card and member["face"] == "character")


def _can_activate(member: Mapping[str, Any], card: str) -> bool:
    return _is_face_up(member, card) and not member["cylinder"] and not member["rest"]


def _first_member(
    position: Mapping[str, Any], fits: Callable[[Mapping[str, Any], str], bool]
) -> tuple[str]:
    """Return the place of the mover's first character that fits, given it and its extra's name."""
    seat = position["to_move"]
    members = w.members(position["seats"][seat])
    number = next(n for n, (member, extra) in enumerate(members) if fits(member, extra))
    return (f"seat{seat}.troupe.{number}",)
