"""Figaro, defined."""

from __future__ import annotations

from shakespeare_env.derived.defining import GameRecord, GameRules, define
from shakespeare_env.derived.presentation import GamePresentation
from shakespeare_env.figaro.actions import TABLE
from shakespeare_env.figaro.box.tables import BOX_DIGEST, BOX_FILE, MIN_SEATS, N_SEATS
from shakespeare_env.figaro.checks import CHECKS
from shakespeare_env.figaro.drawing import SEAT_COLOURS, board, picture, places
from shakespeare_env.figaro.observe import LAYOUT, determinize, observe
from shakespeare_env.figaro.rules import legal, play, scores, set_up
from shakespeare_env.figaro.state import FIELDS, TEXT
from shakespeare_env.figaro.text import draw, events, headline, score_sheet, topics

GAME = define(
    "figaro",
    seats=range(MIN_SEATS, N_SEATS + 1),
    rules=GameRules(
        actions=TABLE,
        set_up=set_up,
        legal=legal,
        play=play,
        scores=scores,
        score_scale=10,
        observe=observe,
        layout=LAYOUT,
        determinize=determinize,
    ),
    record=GameRecord(
        fields=FIELDS, checks=CHECKS, text=TEXT, is_secret=lambda position, move: False
    ),
    presentation=GamePresentation(
        chapter="round",
        draw=draw,
        picture=picture,
        board=board,
        headline=headline,
        places=places,
        seat_colours=SEAT_COLOURS,
        topics=topics,
        events=events,
        score_sheet=score_sheet,
        score_sign=-1,
    ),
    box=BOX_FILE,
    digest=BOX_DIGEST,
    forecast_horizon=4,
)
