"""Figaro's contract (`core/game.py`)."""

from __future__ import annotations

from shakespeare_env.core.game import Game, Rules
from shakespeare_env.core.presentation import Presentation
from shakespeare_env.figaro.actions import TABLE
from shakespeare_env.figaro.box.tables import BOX_FILE, MIN_SEATS, N_SEATS
from shakespeare_env.figaro.drawing.board import board
from shakespeare_env.figaro.drawing.palette import ON_SEATS, SEATS
from shakespeare_env.figaro.drawing.picture import picture
from shakespeare_env.figaro.drawing.places import flights, places
from shakespeare_env.figaro.record.checks import fault
from shakespeare_env.figaro.record.determinize import determinize, rewind
from shakespeare_env.figaro.record.faults import explain
from shakespeare_env.figaro.record.layout import LAYOUT
from shakespeare_env.figaro.record.observe import observe
from shakespeare_env.figaro.rules.flow import legal, play
from shakespeare_env.figaro.rules.scoring import scores
from shakespeare_env.figaro.rules.setup import set_up
from shakespeare_env.figaro.state import HIDDEN_FROM_TEXT, RANGES, STATE
from shakespeare_env.figaro.text import notation
from shakespeare_env.figaro.text.drawing import draw, draw_compact
from shakespeare_env.figaro.text.notation_reader import from_dict
from shakespeare_env.figaro.text.redaction import is_secret, seen_by
from shakespeare_env.figaro.text.score_sheet import score_sheet
from shakespeare_env.figaro.text.wording import headline
from shakespeare_env.figaro.words.events import events
from shakespeare_env.figaro.words.glossary import topics

GAME = Game(
    name=notation.NAME,
    min_seats=MIN_SEATS,
    max_seats=N_SEATS,
    options={},
    state=STATE,
    ranges=RANGES,
    hidden_from_text=HIDDEN_FROM_TEXT,
    actions=TABLE,
    layout=LAYOUT,
    rules=Rules(set_up, legal, play, observe, determinize, scores, fault, rewind),
    good_scores={},
    score_scale=10,
    forecast_horizon=4,
    to_dict=notation.to_dict,
    from_dict=from_dict,
    explain=explain,
    phase=notation.phase_of,
    seen_by=seen_by,
    is_secret=is_secret,
    presentation=Presentation(
        chapter="round",
        draw=draw,
        draw_compact=draw_compact,
        picture=picture,
        board=board,
        headline=headline,
        places=places,
        flights=flights,
        seat_colours=tuple(zip(SEATS, ON_SEATS, strict=True)),
        topics=topics,
        events=events,
        score_sheet=score_sheet,
        score_sign=-1,
    ),
    box=BOX_FILE,
)
