"""Shakespeare's contract (`core/game.py`)."""

from __future__ import annotations

from shakespeare_env.core.game import Game, Rules
from shakespeare_env.core.presentation import Presentation
from shakespeare_env.shakespeare.actions import TABLE
from shakespeare_env.shakespeare.box.tables import BOX_DIGEST, BOX_FILE, GOOD_SCORES, N_SEATS
from shakespeare_env.shakespeare.drawing.board import board, picture, places
from shakespeare_env.shakespeare.drawing.shapes import SEAT_COLOURS
from shakespeare_env.shakespeare.record.checks import fault
from shakespeare_env.shakespeare.record.determinize import determinize, rewind
from shakespeare_env.shakespeare.record.layout import LAYOUT
from shakespeare_env.shakespeare.record.observe import observe
from shakespeare_env.shakespeare.rules.flow import legal, play
from shakespeare_env.shakespeare.rules.scoring import scores
from shakespeare_env.shakespeare.rules.setup import OPTIONS, set_up
from shakespeare_env.shakespeare.state import HIDDEN_FROM_TEXT, RANGES, STATE
from shakespeare_env.shakespeare.text import notation
from shakespeare_env.shakespeare.text.drawing import draw
from shakespeare_env.shakespeare.text.events import events
from shakespeare_env.shakespeare.text.glossary import topics
from shakespeare_env.shakespeare.text.notation import from_dict
from shakespeare_env.shakespeare.text.wording import headline, is_secret, score_sheet, seen_by

GAME = Game(
    name=notation.NAME,
    min_seats=1,
    max_seats=N_SEATS,
    options=OPTIONS,
    state=STATE,
    ranges=RANGES,
    hidden_from_text=HIDDEN_FROM_TEXT,
    actions=TABLE,
    layout=LAYOUT,
    rules=Rules(set_up, legal, play, observe, determinize, scores, fault, rewind),
    good_scores=GOOD_SCORES,
    score_scale=10,
    to_dict=notation.to_dict,
    from_dict=from_dict,
    phase=notation.phase_of,
    seen_by=seen_by,
    is_secret=is_secret,
    presentation=Presentation(
        chapter="day",
        draw=draw,
        picture=picture,
        board=board,
        headline=headline,
        places=places,
        seat_colours=SEAT_COLOURS,
        topics=topics,
        events=events,
        score_sheet=score_sheet,
    ),
    box=BOX_FILE,
    digest=BOX_DIGEST,
)
