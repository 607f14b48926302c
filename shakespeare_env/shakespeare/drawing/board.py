"""Drawing the board, in panels and as one picture, and the places to click for a move."""

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
from shakespeare_env.shakespeare.text.standing import prestige_now, wage

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
        character = b.CARDS[card]
        kind = character.kind.replace("_", " ")
        cost = b.plural(character.cost, "pound")
        title = f"{character.name}, {kind}, costs {cost}"
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
    entry = position["seats"][seat]
    panel = f"seat-{seat}"
    name = names[seat] if names else ""
    title = _state_words(position, seat, name)
    pieces = [Piece(f"{panel}-state", title, seats.draw_state(position, seat, name))]
    for place, (member, extra) in enumerate(w.members(entry)):
        card = seats.draw_member(member, extra, seat, place)
        pieces.append(Piece(f"{panel}-troupe-{place}", _member_words(member, extra), card))
    filled = ", ".join(f"{space} {colour}" for space, colour in entry["stage"].items()) or "empty"
    wall = _framed(seats.draw_wall(entry["stage"], seat, width=308, widest=46, height=44, edge=1))
    pieces.append(Piece(f"{panel}-stage", f"Stage of {name or f'seat {seat}'}: {filled}", wall))
    summary = Piece(f"{panel}-summary", title, seats.draw_summary(position, seat, name))
    return Panel(panel, seat_title(seat, name), pieces, seat, summary)


def _state_words(position: Mapping[str, Any], seat: int, name: str) -> str:
    entry = position["seats"][seat]
    facts = w.seat_facts(position, seat)
    words = [f"{fact} {value}".strip() for fact, value in facts.items() if value]
    if position["to_move"] == seat:
        words.append("decides")
    known = [card for card in entry["objectives"] if card != UNKNOWN]
    if known:
        objectives = ", ".join(_objective_words(position, seat, card) for card in known)
        words.append(f"objectives: {objectives}")
    unknown = len(entry["objectives"]) - len(known)
    if unknown:
        words.append(b.plural(unknown, "unknown objective"))
    return f"{seat_title(seat, name)}: {', '.join(words)}"


def _member_words(member: Mapping[str, Any], extra: str) -> str:
    kind = b.CARDS[member["card"]].kind.replace("_", " ")
    due = wage(member)
    words = [w.CHARACTERS[member["card"]], w.extra_words(extra).lower() or kind]
    if due:
        words.append(f"wage {b.plural(due, 'pound')}")
    if member["cylinder"]:
        words.append("activated")
    if member["rest"]:
        words.append("resting")
    worn = member["costume"]
    if worn:
        words.append(f"costume {' '.join(worn)}, value {b.costume_value(worn)}")
    return ", ".join(words)


def _objective_words(position: Mapping[str, Any], seat: int, card: str) -> str:
    name = w.OBJECTIVES[card]
    prestige = prestige_now(position, seat, card)
    return name if prestige is None else f"{name} brings {prestige} now"


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

    Its size depends on the number of seats alone, so pictures can be the frames of a film.
    """
    table_width = page.ROOM - _BESIDE - page.GAP
    return page.picture(
        w.headline(position),
        board(position, names),
        [
            (_TABLE, {"table": table_width, "offers": _BESIDE}),
            *((_SEAT, {f"seat-{seat}": page.ROOM}) for seat in range(position["players"])),
            (_PILES, {"piles": table_width, "choice": _BESIDE}),
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
        ([label(0, 4, "✓8")], "complete costume, its value"),
        (shapes.stage_set(0, 0, 13, shapes.ANY), "stage set"),
        *((shapes.quill(0, 0, 15, colour), act) for colour, act in quills.items()),
        (shapes.mask(0, 0, 15, 1), "mood"),
        (shapes.masks(0, 0, 15, 1), "the others' mood"),
        (shapes.rest_token(0, 0, 15), "resting"),
        (shapes.candle(0, 0, 15), "candle"),
        (shapes.objective(0, 0, 15), "objective"),
        ([box(-8, -6, 16, 12, fill=shapes.KRAFT, corner=3)], "extra (what lies face down)"),
        *([(shapes.disc(0, 0, 18, 14, "neutral"), "neutral disc")] if solo else []),
    ]


def places(position: Mapping[str, Any], move: str) -> tuple[str, ...]:
    """Return the places to click for a legal move, in order; none if a button plays it.

    The place of what is taken comes first, then the place where it goes.
    """
    kind, _, choice = move.partition(":")
    seat = f"seat{position['to_move']}"
    if kind in ("draft", "recruit", "extra"):
        return (f"display.characters.{choice}",)
    if kind == "activate":
        card = choice.removesuffix("+3")
        return _first_member(position, lambda member, _: _can_activate(member, card))
    if kind == "keep":  # the activated character that gets no rest token
        return _first_member(
            position, lambda member, _: _is_face_up(member, choice) and member["cylinder"]
        )
    if kind == "wager":
        return (f"{seat}.cylinders.{choice}",)
    if kind in ("quill", "back"):
        space = b.space_of(position["piles"][choice], position["to_move"])
        step = 1 if kind == "quill" else -1
        return (f"piles.{choice}.{space + step}",)
    if kind == "queen":
        return (f"queen.{choice}",)
    if kind == "objective":
        return (f"pending.drawn.{choice}",)
    if kind in ("costume", "set"):
        colour, _, target = choice.partition(">")
        if kind == "set":
            return (f"display.sets.{colour}", f"{seat}.stage.{target}")
        # Moves name an extra by its number, an actor by its card (Rules T12).
        wearer = _first_member(position, lambda member, extra: (extra or member["card"]) == target)
        return (f"display.costumes.{colour}", *wearer)
    return ()


def _is_face_up(member: Mapping[str, Any], card: str) -> bool:
    return bool(member["card"] == card and member["face"] == "character")


def _can_activate(member: Mapping[str, Any], card: str) -> bool:
    return _is_face_up(member, card) and not member["cylinder"] and not member["rest"]


def _first_member(
    position: Mapping[str, Any], fits: Callable[[Mapping[str, Any], str], bool]
) -> tuple[str]:
    """Return the place of the mover's first character for which `fits(member, extra name)`."""
    seat = position["to_move"]
    members = w.members(position["seats"][seat])
    number = next(n for n, (member, extra) in enumerate(members) if fits(member, extra))
    return (f"seat{seat}.troupe.{number}",)
