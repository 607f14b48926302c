"""The definition of Figaro: its rules, its record and its presentation."""

from __future__ import annotations

from shakespeare_env.derived.defining import GameRecord, GameRules, define, never_hidden
from shakespeare_env.derived.presentation import GamePresentation
from shakespeare_env.figaro.actions import TABLE
from shakespeare_env.figaro.box.tables import BOX_DIGEST, BOX_FILE, MIN_SEATS, N_SEATS
from shakespeare_env.figaro.drawing.board import board, picture, places
from shakespeare_env.figaro.drawing.shapes import SEAT_COLOURS
from shakespeare_env.figaro.record.checks import CHECKS
from shakespeare_env.figaro.record.determinize import determinize
from shakespeare_env.figaro.record.layout import LAYOUT
from shakespeare_env.figaro.record.observe import observe
from shakespeare_env.figaro.rules.flow import legal, play
from shakespeare_env.figaro.rules.scoring import scores
from shakespeare_env.figaro.rules.setup import set_up
from shakespeare_env.figaro.state import FIELDS, TEXT
from shakespeare_env.figaro.text.consequences import CONSEQUENCES
from shakespeare_env.figaro.text.drawing import draw
from shakespeare_env.figaro.text.events import events
from shakespeare_env.figaro.text.glossary import topics
from shakespeare_env.figaro.text.wording import (
    headline,
    needs_confirming,
    next_scoring,
    score_sheet,
)

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
        is_hidden=never_hidden,
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
        needs_confirming=needs_confirming,
        seat_colours=SEAT_COLOURS,
        topics=topics,
        events=events,
        score_sheet=score_sheet,
        next_scoring=next_scoring,
        consequences=CONSEQUENCES,
        score_sign=-1,  # scores are negated lengths of roads; people read the lengths
    ),
    box=BOX_FILE,
    digest=BOX_DIGEST,
    forecast_horizon=4,
)
