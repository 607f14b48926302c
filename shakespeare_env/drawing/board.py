"""Boards: pieces as single SVG elements for web pages, and a position's board as one picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import svg

from shakespeare_env.core.presentation import Headline, Panel, Piece
from shakespeare_env.drawing import shapes as d
from shakespeare_env.fonts import width as text_width

StripSign: TypeAlias = Callable[[float, float, float], d.Elements]
"""Draws a sign, given x and y of its middle and its size."""
_NAME_AT = 28  # on a strip, after the token
_SIGN_WIDTH = 19  # on a strip
_FOLD = 56  # at the end of a strip, where a phone shows the button that folds its panel
SUMMARY = 340
"""The width of a panel's summary (`Panel.summary`)."""
_WIDEST_CARD = 220


def seat_title(seat: int, name: str) -> str:
    """Return the name of a seat's player, or the seat's number if the name is empty."""
    return name or f"Seat {seat}"


def strip_signs(*, wins: bool, decides: bool, ink: str) -> list[StripSign]:
    """Return the signs on the strip of a seat that wins or decides."""
    signs: list[StripSign] = []
    if wins:
        signs.append(d.star)
    if decides:
        signs.append(partial(d.arrow, fill=ink))
    return signs


def seat_strip(
    seat: int,
    name: str,
    colours: tuple[str, str],
    width: float,
    height: float,
    signs: Sequence[StripSign],
    facts: str = "",
) -> d.Block:
    """Draw a band in a seat's colour with the player's name.

    Signs stand at its right end, and `facts` about the seat before them.
    """
    fill, ink = colours
    middle = height / 2
    drawn: d.Elements = [d.box(0, 0, width, height, fill=fill, line=d.INK)]
    for number, sign in enumerate(signs):
        drawn += sign(width - 12 - _SIGN_WIDTH * number, middle, 0.6 * height)
    drawn += d.token(15, middle, 21, str(seat), d.PAPER, d.ON_LIGHT)
    right = width - 3 - _SIGN_WIDTH * len(signs)
    if facts:
        right = min(right - 4, width - _FOLD)
        drawn.append(d.words(right, middle + 5, facts, 13, fill=ink, anchor="end"))
        right -= text_width(facts, 13) + 8
    title = seat_title(seat, name)
    drawn.append(d.bold(_NAME_AT, middle + 5, title, 14, fill=ink, room=right - _NAME_AT))
    return d.Block(drawn, width, height)


def is_wide(piece: Piece) -> bool:
    """Return whether a piece has a row of a page to itself. Others, such as cards, share rows."""
    return bool(piece.block.width > _WIDEST_CARD)


def piece_svg(piece: Piece, element_id: str) -> str:
    """Return a piece as an SVG element of its size. The attribute `data-wide` marks wide pieces."""
    width = round(piece.block.width, 1)
    height = round(piece.block.height, 1)
    data = {"piece": piece.name}
    if is_wide(piece):
        data["wide"] = ""
    drawn = svg.SVG(
        viewBox=svg.ViewBoxSpec(0, 0, width, height),
        width=width,
        height=height,
        id=element_id,
        data=data,
        extra={"role": "group", "aria-label": d.escape_xml(piece.title), **d.DEFAULTS},
        elements=piece.block.elements,
    )
    return str(drawn)


WIDTH = 1600
GAP = 12
"""The gap between panels."""
_EDGE = 24
ROOM = WIDTH - 2 * _EDGE
"""The width of a row of panels."""
_TITLE_HEIGHT = 42
_BANNER_HEIGHT = 40
_PADDING = 9  # within a panel
_CAPTION_HEIGHT = 22  # of the title of a panel
_PIECE_GAP = 6
_LARGEST_SCALE = 1.25  # where there is room
_SHRINKING = 0.96  # the factor by which pieces shrink until they fit
_N_SCALES = 60  # the number of scales tried

PanelRow: TypeAlias = tuple[float, Mapping[str, float]]
"""The height of a row, and the widths of its panels by name, left to right."""
Placed: TypeAlias = tuple[float, float, Piece]
"""The x and y of a piece's top left corner, and the piece."""


def picture(
    head: Headline,
    panels: Sequence[Panel],
    rows: Iterable[PanelRow],
    mover: int | None,
    colours: Sequence[tuple[str, str]],
    explained: Sequence[tuple[d.Elements, str]] = (),
) -> str:
    """Return a board as an SVG document, `WIDTH` units wide.

    Its height depends only on `rows` and on whether there is a legend. Each panel is a group with
    its name as `data-part`. Panels that are in no row are left out.

    Args:
        head: The game, its progress, and who decides or has won.
        panels: The panels of the board. Their pieces shrink to fit.
        rows: The rows of panels, from top to bottom.
        mover: The seat to move, if any.
        colours: The ground and the ink of each seat.
        explained: Signs for a legend, drawn around (0, 0), with their meanings.
    """
    drawn: d.Elements = [_head(head, mover, colours).at(_EDGE, _EDGE, part="head")]
    panels_by_name = {panel.name: panel for panel in panels}
    y = float(_EDGE + _TITLE_HEIGHT + _BANNER_HEIGHT + GAP)
    for height, widths in rows:
        x = float(_EDGE)
        for name, width in widths.items():
            if name in panels_by_name:
                block = _panel(panels_by_name[name], width, height, mover, colours)
                drawn.append(block.at(x, y, part=name))
            x += width + GAP
        y += height + GAP
    if explained:
        drawn.append(d.legend(explained, ROOM).at(_EDGE, y, part="legend"))
        y += 20 + GAP
    # The progress may be empty.
    title = f"{head.game}, {head.table}, {head.progress}: {head.sentence}".replace(", :", ":")
    height = round(y)
    document = svg.SVG(
        viewBox=svg.ViewBoxSpec(0, 0, WIDTH, height),
        width=WIDTH,
        height=height,
        style="max-width:100%;height:auto",  # a notebook's cell may be narrower
        extra={"role": "img", **d.DEFAULTS},
        elements=[
            svg.Title(text=d.escape_xml(title)),
            svg.Rect(width=WIDTH, height=height, rx=10, fill=d.PAGE),
            *drawn,
        ],
    )
    return str(document)


def _head(head: Headline, mover: int | None, colours: Sequence[tuple[str, str]]) -> d.Block:
    """Draw the game and its progress, and a banner that says who decides or has won."""
    after_game = text_width(head.game, 30, "bold") + 16
    middle = _TITLE_HEIGHT + _BANNER_HEIGHT / 2
    fill, ink = (d.GOLD, d.INK) if mover is None else colours[mover]
    sign = d.star(26, middle, 24, d.PANEL) if mover is None else d.arrow(26, middle, 20, ink)
    aside_width = text_width(head.aside, 14) + 40 if head.aside else 0
    room = ROOM - 70 - aside_width
    progress = " · ".join(filter(None, (head.progress, head.phase)))
    drawn: d.Elements = [
        d.bold(0, 27, head.game, 30),
        d.caption(after_game, 27, head.table, 15, room=ROOM / 3 - after_game),
        d.bold(ROOM, 27, progress, 19, anchor="end", room=ROOM / 2),
        d.box(0, _TITLE_HEIGHT, ROOM, _BANNER_HEIGHT, fill=fill, line=None),
        *sign,
        d.bold(52, middle + 6, head.sentence, 18, fill=ink, room=room),
        d.words(ROOM - 16, middle + 5, head.aside, 14, fill=ink, anchor="end", room=ROOM / 2),
    ]
    return d.Block(drawn, ROOM, _TITLE_HEIGHT + _BANNER_HEIGHT)


def _panel(
    panel: Panel, width: float, height: float, mover: int | None, colours: Sequence[tuple[str, str]]
) -> d.Block:
    """Draw a panel.

    A seat's panel has a frame in the seat's colour, which is thick if the seat is to move. Other
    panels have a title.
    """
    top: float = _PADDING
    if panel.seat is None:
        drawn: d.Elements = [d.frame(width, height, d.LINE)]
        drawn.append(d.bold(12, 18, panel.title, fill=d.MUTED, room=width - 24))
        top = _CAPTION_HEIGHT + 4
    else:
        colour = colours[panel.seat][0]
        thick = 7 if panel.seat == mover else 3
        drawn = [d.frame(width, height, d.INK, thick=thick + 1.5)]
        drawn.append(d.frame(width, height, colour, thick=thick))
    scale, placed = _fit(panel.pieces, width - 2 * _PADDING, height - top - _PADDING)
    inner: d.Elements = [d.Block(piece.block.elements, 0, 0).at(x, y) for x, y, piece in placed]
    moved = [svg.Translate(_PADDING, d.tenths(top)), svg.Scale(round(scale, 3))]
    return d.Block([*drawn, svg.G(transform=moved, elements=inner)], width, height)


def _fit(pieces: Sequence[Piece], width: float, height: float) -> tuple[float, list[Placed]]:
    """Return a scale and the pieces placed at that scale.

    It is the largest of the scales tried at which all pieces fit. If they fit at none, it is the
    smallest one.
    """
    for number in range(_N_SCALES):
        scale = _LARGEST_SCALE * _SHRINKING**number
        placed = _in_columns(pieces, height / scale)
        right = max((x + piece.block.width for x, _, piece in placed), default=0)
        bottom = max((y + piece.block.height for _, y, piece in placed), default=0)
        if right <= width / scale and bottom <= height / scale:
            break
    return scale, placed


def _in_columns(pieces: Sequence[Piece], height: float) -> list[Placed]:
    """Place pieces in columns, from left to right, with tall pieces first.

    Pieces are sorted by heights rounded down to hundreds. Thus a piece that grows or shrinks a
    little during a game seldom changes its place in the order.
    """
    x = 0.0
    y = 0.0
    right = 0.0
    placed = []
    for piece in sorted(pieces, key=lambda piece: -(piece.block.height // 100)):
        if y + piece.block.height > height:
            x = right
            y = 0.0
        placed.append((x, y, piece))
        y += piece.block.height + _PIECE_GAP
        right = max(right, x + piece.block.width + _PIECE_GAP)
    return placed
