"""Figaro, defined: what its fields cannot say is a part of its own."""

from __future__ import annotations

from shakespeare_env.derived.defining import define
from shakespeare_env.figaro import rules
from shakespeare_env.figaro.actions import TABLE
from shakespeare_env.figaro.box.tables import BOX_DIGEST, BOX_FILE, MIN_SEATS, N_SEATS
from shakespeare_env.figaro.checks import CHECKS
from shakespeare_env.figaro.drawing import SEAT_COLOURS, board, picture, places
from shakespeare_env.figaro.observe import LAYOUT, determinize, observe
from shakespeare_env.figaro.state import FIELDS, TEXT
from shakespeare_env.figaro.text import draw, events, headline, score_sheet, topics

GAME = define(
    "figaro",
    seats=range(MIN_SEATS, N_SEATS + 1),
    fields=FIELDS,
    text=TEXT,
    actions=TABLE,
    set_up=rules.set_up,
    legal=rules.legal,
    play=rules.play,
    scores=rules.scores,
    checks=CHECKS,
    layout=LAYOUT,
    observe=observe,
    determinize=determinize,
    score_scale=10,
    forecast_horizon=4,
    is_secret=lambda position, move: False,
    box=BOX_FILE,
    digest=BOX_DIGEST,
    shown={
        "chapter": "round",
        "draw": draw,
        "picture": picture,
        "board": board,
        "headline": headline,
        "places": places,
        "seat_colours": SEAT_COLOURS,
        "topics": topics,
        "events": events,
        "score_sheet": score_sheet,
        "score_sign": -1,
    },
)
