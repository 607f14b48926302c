"""The board in pieces: the table's, what is on offer, and each seat's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from shakespeare_env.core.presentation import Panel, Piece
from shakespeare_env.drawing.board import seat_and_name
from shakespeare_env.drawing.shapes import Block, box
from shakespeare_env.shakespeare.box.printed import printed_of
from shakespeare_env.shakespeare.drawing import piece_titles as titles
from shakespeare_env.shakespeare.drawing import summary_picture
from shakespeare_env.shakespeare.drawing.board_picture import WIDTH, draw_acts, draw_order
from shakespeare_env.shakespeare.drawing.card_picture import draw_member, draw_offer
from shakespeare_env.shakespeare.drawing.choice_picture import (
    draw_gift,
    draw_objective,
    queen_offers,
)
from shakespeare_env.shakespeare.drawing.display_picture import PILES, draw_elements, draw_pile
from shakespeare_env.shakespeare.drawing.stage_picture import draw_stage
from shakespeare_env.shakespeare.drawing.state_picture import draw_state
from shakespeare_env.shakespeare.text.wording import extra_names

_EDGE = 10


def board(position: Mapping[str, Any], names: Sequence[str] = ()) -> list[Panel]:
    """Panels of a position (`Position.to_dict` or `seen_by`)."""
    seats = (_seat(position, seat, names) for seat in range(position["players"]))
    return [*_choice(position), *_table(position), *seats]


def _choice(position: Mapping[str, Any]) -> list[Panel]:
    if position["phase"] == "queen":
        printed = printed_of(position)
        gifts = [
            Piece(f"queen-{offer}", f"The Queen: {meaning}", draw_gift(printed, offer))
            for offer, meaning in queen_offers(printed).items()
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
        Piece("acts", titles.acts(position), draw_acts(position)),
        Piece("elements", titles.elements(position), draw_elements(position, WIDTH)),
        Piece("order", titles.order(position), draw_order(position)),
    ]
    printed = printed_of(position)
    offers = [
        Piece(
            f"character-{card}",
            titles.offer(printed, card, copies),
            draw_offer(printed, card, copies),
        )
        for card, copies in Counter(position["display"]["characters"]).items()
    ]
    piles = [
        Piece(f"pile-{pile}", title, _framed(draw_pile(position, pile, WIDTH - 2 * _EDGE)))
        for pile, title in PILES.items()
    ]
    shown = Piece(
        "table-summary", "Acts and elements on offer", summary_picture.draw_table(position)
    )
    panels = [Panel("table", "Acts and elements", table, summary=shown)]
    if offers:
        names = Piece("offers-summary", "On offer", summary_picture.draw_offers(position))
        panels.append(Panel("offers", "Characters on offer", offers, summary=names))
    return [*panels, Panel("piles", "Piles", piles, aside=True)]


def _seat(position: Mapping[str, Any], seat: int, names: Sequence[str]) -> Panel:
    mine, printed = position["seats"][seat], printed_of(position)
    name = names[seat] if names else ""
    state = draw_state(position, seat, name)
    pieces = [Piece(f"seat-{seat}-state", titles.state(position, seat, name), state)]
    members = zip(mine["troupe"], extra_names(mine["troupe"]), strict=True)
    pieces += [
        Piece(
            f"seat-{seat}-troupe-{place}",
            titles.member(printed, member, extra),
            draw_member(printed, member, extra, seat, place),
        )
        for place, (member, extra) in enumerate(members)
    ]
    wall = draw_stage(printed, mine["stage"], seat)
    pieces.append(Piece(f"seat-{seat}-stage", titles.stage(mine["stage"], seat), _framed(wall)))
    summary = Piece(
        f"seat-{seat}-summary",
        titles.state(position, seat, name),
        summary_picture.draw_seat(position, seat, name),
    )
    return Panel(f"seat-{seat}", seat_and_name(seat, name), pieces, seat, summary)


def _framed(block: Block) -> Block:
    width, height = block.width + 2 * _EDGE, block.height + 2 * _EDGE
    return Block([box(0, 0, width, height), block.at(_EDGE, _EDGE)], width, height)
