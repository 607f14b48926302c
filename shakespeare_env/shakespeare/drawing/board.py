"""The board in pieces, the same on one page, and where a move is clicked on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shakespeare_env.core.presentation import Panel, Piece
from shakespeare_env.drawing import board as page
from shakespeare_env.drawing.board import seat_and_name
from shakespeare_env.drawing.shapes import PANEL, Block, Elements, box, star, words
from shakespeare_env.shakespeare.drawing import piece_titles as titles
from shakespeare_env.shakespeare.drawing import shapes
from shakespeare_env.shakespeare.drawing.seat_picture import (
    draw_member,
    draw_offer,
    draw_stage,
    draw_state,
)
from shakespeare_env.shakespeare.drawing.shapes import ANY, KRAFT, ON_SEATS, SEATS
from shakespeare_env.shakespeare.drawing.summary_picture import (
    draw_offers,
    draw_summary,
    draw_table,
)
from shakespeare_env.shakespeare.drawing.table_picture import (
    PILES,
    WIDTH,
    draw_acts,
    draw_elements,
    draw_gift,
    draw_objective,
    draw_order,
    draw_pile,
    queen_offers,
)
from shakespeare_env.shakespeare.text.wording import extra_names, headline

_FRAME = 10


def board(position: Mapping[str, Any], names: Sequence[str] = ()) -> list[Panel]:
    """Panels of a position (`Position.to_dict` or `seen_by`)."""
    seats = (_seat(position, seat, names) for seat in range(position["players"]))
    return [*_choice(position), *_table(position), *seats]


def _choice(position: Mapping[str, Any]) -> list[Panel]:
    if position["phase"] == "queen":
        gifts = [
            Piece(f"queen-{offer}", f"The Queen: {meaning}", draw_gift(offer))
            for offer, meaning in queen_offers().items()
        ]
        return [Panel("choice", "The Queen's offers", gifts)]
    if position["phase"] == "objective":
        drawn = [
            Piece(
                f"drawn-{number}",
                titles.objective(position, position["to_move"], card),
                draw_objective(position, card),
            )
            for number, card in enumerate(position["pending"]["drawn"], 1)
        ]
        return [Panel("choice", "Objectives drawn", drawn)]
    return []


def _table(position: Mapping[str, Any]) -> list[Panel]:
    table = [
        Piece("acts", "Acts, and the discs on them", draw_acts(position)),
        Piece(
            "elements",
            "Elements on offer, in the bags, and out of the game",
            draw_elements(position, WIDTH),
        ),
        Piece("order", "Player order, initiative, tokens left", draw_order(position)),
    ]
    offers = [
        Piece(f"character-{card}", titles.offer(card, copies), draw_offer(card, copies))
        for card, copies in Counter(position["display"]["characters"]).items()
    ]
    piles = [
        Piece(f"pile-{pile}", title, _framed(draw_pile(position, pile, WIDTH - 2 * _FRAME)))
        for pile, title in PILES.items()
    ]
    shown = Piece("table-summary", "Acts and elements on offer", draw_table(position))
    panels = [Panel("table", "Acts and elements", table, summary=shown)]
    if offers:
        names = Piece("offers-summary", "On offer", draw_offers(position))
        panels.append(Panel("offers", "Characters on offer", offers, summary=names))
    return [*panels, Panel("piles", "Piles", piles, aside=True)]


def _seat(position: Mapping[str, Any], seat: int, names: Sequence[str]) -> Panel:
    mine = position["seats"][seat]
    name = names[seat] if names else ""
    state = draw_state(position, seat, name)
    pieces = [Piece(f"seat-{seat}-state", titles.state(position, seat, name), state)]
    members = zip(mine["troupe"], extra_names(mine["troupe"]), strict=True)
    pieces += [
        Piece(
            f"seat-{seat}-troupe-{place}",
            titles.member(member, extra),
            draw_member(member, extra, seat, place),
        )
        for place, (member, extra) in enumerate(members)
    ]
    wall = draw_stage(mine["stage"], seat)
    pieces.append(Piece(f"seat-{seat}-stage", titles.stage(mine["stage"], seat), _framed(wall)))
    summary = Piece(
        f"seat-{seat}-summary",
        titles.state(position, seat, name),
        draw_summary(position, seat, name),
    )
    return Panel(f"seat-{seat}", seat_and_name(seat, name), pieces, seat, summary)


def _framed(block: Block) -> Block:
    width, height = block.width + 2 * _FRAME, block.height + 2 * _FRAME
    return Block([box(0, 0, width, height), block.at(_FRAME, _FRAME)], width, height)


_TABLE, _SEAT, _PILES = 412, 232, 164
_BESIDE = 310  # width of offers and choices


def picture(position: Mapping[str, Any], names: Sequence[str] = ()) -> str:
    """Draw a position (`Position.to_dict` or `seen_by`).

    The size depends on the number of seats alone: a game's pictures make a film.
    """
    wide = page.ROOM - _BESIDE - page.GAP
    return page.picture(
        headline(position),
        board(position, names),
        [
            (_TABLE, {"table": wide, "offers": _BESIDE}),
            *((_SEAT, {f"seat-{seat}": page.ROOM}) for seat in range(position["players"])),
            (_PILES, {"piles": wide, "choice": _BESIDE}),
        ],
        position["to_move"],
        tuple(zip(SEATS, ON_SEATS, strict=True)),
        _signs(position["players"] == 1),
    )


def _signs(solo: bool) -> list[tuple[Elements, str]]:
    size = 15
    return [
        (star(0, 0, size), "prestige"),
        (shapes.coin(0, 0, size), "pounds, wage"),
        (shapes.cylinder(0, 0, size, PANEL), "activation"),
        (shapes.costume(0, 0, size, ANY), "costume"),
        ([words(0, 4, "✓8", 11, weight="bold", anchor="middle")], "complete costume, its value"),
        (shapes.stage_set(0, 0, size - 2, ANY), "stage set"),
        (shapes.quill(0, 0, size, "red"), "Act I"),
        (shapes.quill(0, 0, size, "gold"), "Act II"),
        (shapes.quill(0, 0, size, "blue"), "Act III"),
        (shapes.quill(0, 0, size, "white"), "any act"),
        (shapes.mask(0, 0, size, 1), "mood"),
        (shapes.rest_token(0, 0, size), "resting"),
        (shapes.candle(0, 0, size), "candle"),
        (shapes.objective(0, 0, size), "objective"),
        ([box(-8, -6, 16, 12, fill=KRAFT, corner=3)], "extra (what lies face down)"),
        *(((shapes.disc(0, 0, 18, 14, "neutral"), "neutral disc"),) if solo else ()),
    ]


def places(position: Mapping[str, Any], move: str) -> tuple[str, ...]:
    """The places of a legal move, one after the other; none if it is a button.

    What is taken comes first, then where it goes.
    """
    kind, _, what = move.partition(":")
    seat = position["to_move"]
    if kind in ("draft", "recruit", "extra"):
        return (f"display.characters.{what}",)
    if kind in ("activate", "keep"):
        return (_member_place(position, what.removesuffix("+3"), activated=kind == "keep"),)
    if kind == "wager":
        return (f"seat{seat}.cylinders.{what}",)
    if kind in ("quill", "back"):
        return (_next_space(position, what, 1 if kind == "quill" else -1),)
    if kind == "queen":
        return (f"queen.{what}",)
    if kind == "objective":
        return (f"pending.drawn.{what}",)
    if kind in ("costume", "set"):
        colour, _, goal = what.partition(">")
        to = _wearer(position, goal) if kind == "costume" else f"seat{seat}.stage.{goal}"
        return (f"display.{kind}s.{colour}", to)
    return ()


def _member_place(position: Mapping[str, Any], card: str, *, activated: bool) -> str:
    """Of copies, the first to be activated, or the first that was."""
    return _first(
        position,
        (
            member["card"] == card
            and member["face"] == "character"
            and member["cylinder"] == activated
            and (activated or not member["rest"])
            for member in _troupe(position)
        ),
    )


def _wearer(position: Mapping[str, Any], wearer: str) -> str:
    """An extra by its number, or the first face-up copy of an actor (Rules T12)."""
    troupe = _troupe(position)
    return _first(
        position,
        (
            (extra or member["card"]) == wearer
            for member, extra in zip(troupe, extra_names(troupe), strict=True)
        ),
    )


def _troupe(position: Mapping[str, Any]) -> list[dict[str, Any]]:
    troupe: list[dict[str, Any]] = position["seats"][position["to_move"]]["troupe"]
    return troupe


def _first(position: Mapping[str, Any], fits: Iterable[bool]) -> str:
    place = next(place for place, fit in enumerate(fits) if fit)
    return f"seat{position['to_move']}.troupe.{place}"


def _next_space(position: Mapping[str, Any], act: str, step: int) -> str:
    seat = position["to_move"]
    piles = position["piles"][act]
    space = next(int(space) for space, discs in piles.items() if seat in discs)
    return f"piles.{act}.{space + step}"
