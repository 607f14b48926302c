"""The definition of Shakespeare: its rules, record and presentation as a `Game`."""

from __future__ import annotations

from shakespeare_env.derived.defining import GameRecord, GameRules, define
from shakespeare_env.derived.notation import OwnNotation
from shakespeare_env.derived.presentation import GamePresentation
from shakespeare_env.shakespeare.actions import TABLE
from shakespeare_env.shakespeare.box.tables import BOX_DIGEST, BOX_FILE, GOOD_SCORES, N_SEATS
from shakespeare_env.shakespeare.drawing.board import board, picture, places
from shakespeare_env.shakespeare.drawing.shapes import SEAT_COLOURS
from shakespeare_env.shakespeare.record.checks import FAULTS, fault
from shakespeare_env.shakespeare.record.determinize import determinize, is_hidden, rewind
from shakespeare_env.shakespeare.record.layout import LAYOUT
from shakespeare_env.shakespeare.record.observe import observe
from shakespeare_env.shakespeare.rules.flow import legal, play
from shakespeare_env.shakespeare.rules.scoring import scores
from shakespeare_env.shakespeare.rules.setup import OPTIONS, set_up
from shakespeare_env.shakespeare.state import FIELDS, HIDDEN_FROM_TEXT
from shakespeare_env.shakespeare.text import notation
from shakespeare_env.shakespeare.text.consequences import CONSEQUENCES
from shakespeare_env.shakespeare.text.drawing import draw
from shakespeare_env.shakespeare.text.events import events
from shakespeare_env.shakespeare.text.glossary import topics
from shakespeare_env.shakespeare.text.notation import from_dict
from shakespeare_env.shakespeare.text.standing import next_scoring
from shakespeare_env.shakespeare.text.wording import (
    headline,
    is_secret,
    needs_confirming,
    score_sheet,
    seen_by,
)

GAME = define(
    notation.NAME,
    seats=range(1, N_SEATS + 1),
    rules=GameRules(
        actions=TABLE,
        set_up=set_up,
        legal=legal,
        play=play,
        scores=scores,
        options=OPTIONS,
        score_scale=10,
        good_scores=GOOD_SCORES,
        observe=observe,
        layout=LAYOUT,
        determinize=determinize,
        rewind=rewind,
        is_hidden=is_hidden,
    ),
    record=GameRecord(
        fields=FIELDS,
        fault=fault,
        faults=FAULTS,
        hidden_from_text=HIDDEN_FROM_TEXT,
        notation=OwnNotation(notation.to_dict, from_dict, notation.phase_of, seen_by),
        is_secret=is_secret,
    ),
    presentation=GamePresentation(
        chapter="day",
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
    ),
    box=BOX_FILE,
    digest=BOX_DIGEST,
)
