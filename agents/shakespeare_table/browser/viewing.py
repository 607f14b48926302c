"""A table as one viewer sees it: the board, the moves to choose from, and what has been played."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any, NamedTuple
from xml.etree import ElementTree

from shakespeare_env.core.game import SPECTATOR, Game
from shakespeare_env.core.presentation import Topic
from shakespeare_env.core.seat_names import YOU, seat_placeholder, with_names
from shakespeare_env.drawing.board import is_wide, piece_svg
from shakespeare_env.film.standings import standings_bar
from shakespeare_env.play.history import GameHistory, GameLog
from shakespeare_env.play.named import capitalised, named_move
from shakespeare_env.play.standings import outcome_in_words
from shakespeare_table.browser.tables.state import TableState, can_take_back, result_of

_BOARDS_KEPT = 64  # each takes up to about 310 KB
_MOVES_KEPT = 4096  # moves in words
_MAX_EXPLANATIONS = 4
_RECENT_MOVES = 8  # in a spectator's strip, which is the page's short list of the latest moves
_SEAT = re.compile(r"seat(\d+)")


@dataclass(frozen=True)
class Viewer:
    """A person who looks at a table.

    An `observer`, here and in the whole module, is the one whose knowledge the page shows: a seat,
    a spectator (`SPECTATOR`), or None for somebody who knows everything.

    Attributes:
        seats: The seats that the viewer holds; none for a spectator.
        revealed: If several people share the screen, the seat whose player has asked to see the
            seat's cards; None if nobody has.
    """

    seats: tuple[int, ...] = ()
    revealed: int | None = None

    @property
    def acting_seat(self) -> int | None:
        """The seat that the viewer plays: the only one, or the revealed one of several."""
        return self.seats[0] if len(self.seats) == 1 else self.revealed

    def observer(self, state: TableState) -> int | None:
        """Return the observer of the page. Once the game is over, everything is shown."""
        if state.is_over:
            return None
        if self.acting_seat in self.seats and self.hidden_seat(state) is None:
            return self.acting_seat
        return SPECTATOR

    def hidden_seat(self, state: TableState) -> int | None:
        """Return the seat that chooses next if it shares this screen and is not yet revealed."""
        asked = [seat for seat in state.undecided if seat in self.seats]
        if len(self.seats) > 1 and asked and self.revealed not in asked:
            return asked[0]
        return None

    def decides(self, state: TableState) -> bool:
        """Return whether the viewer chooses a move now and may see the cards of its seat."""
        return not state.is_over and self.observer(state) in state.undecided


def position_on_turn(state: TableState, observer: int | None) -> dict[str, Any]:
    """Return a table's position in notation, as an observer sees it.

    An observer who chooses now is to move in it, also if the rules ask another seat first.
    """
    complete = state.position.to_dict()
    seen = complete if observer is None else state.position.game.seen_by(complete, observer)
    return {**seen, "to_move": observer} if observer in state.undecided else seen


def names_for_reader(names: Sequence[str], seat: int | None) -> list[str]:
    """Return the players' names by seat, with "you" for the reader's seat."""
    return [YOU if each == seat else name for each, name in enumerate(names)]


class MoveInWords(NamedTuple):
    """A move as a reader sees it.

    Attributes:
        seat: The seat that has moved.
        mover: Its player's name, which begins a sentence about the move.
        text: The rest of that sentence.
        move: The move in notation; empty if it is secret.
        effects: All effects of the move.
        effects_on_reader: The effects of the move on the reader.
    """

    seat: int
    mover: str
    text: str
    move: str
    effects: Sequence[str]
    effects_on_reader: Sequence[str]


@lru_cache(_MOVES_KEPT)
def last_move(state: TableState, observer: int | None, reader: int | None) -> MoveInWords:
    """Return the last move of a table in words.

    Args:
        state: The table.
        observer: The observer.
        reader: The seat of the reader, who is called "you"; None for a spectator.
    """
    before, after = state.positions[-2:]
    record = GameLog(names=None, seat=observer).record(before, state.moves[-1], after)
    words = named_move(record, names_for_reader(state.plan.names, reader))
    on_reader = []
    if reader is not None:
        on_reader = [with_names(effect.text) for effect in record.effects if effect.seat == reader]
    return MoveInWords(record.seat, words.mover, words.text, words.move, words.effects, on_reader)


class Turn(NamedTuple):
    """The moves of a seat that follow each other.

    Attributes:
        seat: The seat.
        mover: Its player's name, which begins a sentence about the moves.
        first: The number of moves before the turn.
        last: The number of moves before the turn's last move.
        moves: The moves.
    """

    seat: int
    mover: str
    first: int
    last: int
    moves: list[MoveInWords]


def turns(log: Sequence[MoveInWords], start: int = 0) -> list[Turn]:
    """Return the moves of a log by turn, from the move with the number `start` on."""
    found = []
    for seat, moves_of_turn in groupby(log[start:], lambda it: it.seat):
        moves = list(moves_of_turn)
        last = start + len(moves) - 1
        found.append(Turn(seat, moves[0].mover, start, last, moves))
        start = last + 1
    return found


@dataclass(frozen=True)
class DrawnPanel:
    """A panel of the board, drawn.

    Attributes:
        name: Its name, unique on a board.
        title: Its title.
        seat: The seat that it belongs to; None for the table's.
        pieces: SVGs by the pieces' names.
        wide: The names of the pieces that have a row of their own. The others share rows.
        summary: An SVG of the panel in few lines; empty if it has none.
        aside: Whether people look at the panel only now and then.
    """

    name: str
    title: str
    seat: int | None
    pieces: Mapping[str, str]
    wide: Collection[str]
    summary: str
    aside: bool


@dataclass(frozen=True)
class DrawnBoard:
    """A drawn board: its panels, in order."""

    panels: Sequence[DrawnPanel]

    def changed_places(self, before: DrawnBoard) -> list[str]:
        """Return the innermost places where the drawing differs from an earlier one."""
        changed: list[str] = []
        for name, drawn in self._drawings.items():
            drawn_before = before._drawings.get(name, "")
            if drawn != drawn_before:
                contents_before = _contents_by_place(drawn_before)
                for place, content in _contents_by_place(drawn).items():
                    if content != contents_before.get(place):
                        changed.append(place)
        return list(dict.fromkeys(changed))

    @cached_property
    def _drawings(self) -> dict[str, str]:
        drawings = {f"summary {panel.name}": panel.summary for panel in self.panels}
        for panel in self.panels:
            drawings |= panel.pieces
        return drawings

    def columns(self, own: int | None) -> dict[str, list[DrawnPanel]]:
        """Return the panels by column: `table`, the viewer's `own` seat, and the other `seats`.

        The table's panels without wide pieces, such as cards on offer, stand in the own column.
        """
        columns: dict[str, list[DrawnPanel]] = {"table": [], "own": [], "seats": []}
        for panel in self.panels:
            if panel.seat is None:
                column = "table" if panel.wide else "own"
            else:
                column = "own" if panel.seat == own else "seats"
            columns[column].append(panel)
        return columns


def drawn_board(state: TableState, observer: int | None) -> DrawnBoard:
    """Return the board of a table as an observer sees it."""
    return _drawn_board(state, observer, observer in state.undecided)


# The last argument is there for the cache, since equal states may differ in who has chosen.
@lru_cache(_BOARDS_KEPT)
def _drawn_board(state: TableState, observer: int | None, _decides: bool) -> DrawnBoard:
    seen = position_on_turn(state, observer)
    return DrawnBoard(drawn_panels(state.position.game, seen, state.plan.names))


def drawn_panels(game: Game, seen: Mapping[str, Any], names: Sequence[str]) -> list[DrawnPanel]:
    """Return the panels of a board, the table's first.

    Args:
        game: The game.
        seen: The position in notation, as the observer sees it.
        names: The players' names by seat.
    """
    panels = []
    board = game.presentation.board(seen, names)
    for panel in board:
        pieces = {piece.name: piece_svg(piece, f"piece-{piece.name}") for piece in panel.pieces}
        wide = {piece.name for piece in panel.pieces if is_wide(piece)}
        summary = ""
        if panel.summary:
            summary = piece_svg(panel.summary, f"piece-{panel.summary.name}")
        panels.append(
            DrawnPanel(panel.name, panel.title, panel.seat, pieces, wide, summary, panel.aside)
        )
    return panels


def _contents_by_place(svg: str) -> dict[str, str]:
    """Return what is drawn at each innermost place of an SVG, one that contains no other place."""
    if not svg:
        return {}
    contents = {}
    for group in ElementTree.fromstring(svg).iterfind(".//*[@data-place]"):
        if group.find(".//*[@data-place]") is None:
            elements = [ElementTree.tostring(element, "unicode") for element in group]
            contents[group.attrib["data-place"]] = "".join(elements)
    return contents


class Explanation(NamedTuple):
    """The explanation of a card, a move or a thing on the table."""

    title: str
    text: str


def explained(state: TableState, observer: int | None, place: str) -> list[Explanation]:
    """Return the explanations of a place of the board, or of the topic with this name."""
    position = position_on_turn(state, observer)
    topics = state.position.game.presentation.topics(position)
    names = names_for_reader(state.plan.names, observer)
    return [
        Explanation(topic_title(name, topics[name]), topics[name].named(names))
        for name in topics_at(place, position, topics)[:_MAX_EXPLANATIONS]
    ]


def topics_at(place: str, position: Mapping[str, Any], topics: Mapping[str, Topic]) -> list[str]:
    """Return the names of the topics that explain a place of the board.

    First comes the topic of the card that lies there. Topics with the name of the place, or of a
    place around it, follow. Topics that name one of these places in `Topic.places` come last. A
    narrower place comes before a wider one.

    Args:
        place: The name of the place, such as `seat0.troupe.2`.
        position: The position in notation, as the reader sees it.
        topics: The topics of the position.
    """
    parts = place.split(".")
    seat = _SEAT.fullmatch(parts[0])
    path = parts[1:] if seat else parts
    card = _card_at(position, ["seats", seat[1], *path] if seat else path)
    found = [card] if card in topics else []
    found += [part for part in reversed(parts) if part in topics]
    for length in range(len(path), 0, -1):
        part = ".".join(path[:length])
        found += [name for name, topic in topics.items() if part in topic.places]
    return list(dict.fromkeys(found))


def _card_at(position: Mapping[str, Any], path: Sequence[str]) -> str:
    inner: Any = position
    for step in path:
        try:
            inner = inner[int(step) if isinstance(inner, list) else step]
        except (LookupError, TypeError, ValueError):
            return ""
    if isinstance(inner, Mapping):
        inner = inner.get("card")
    return inner if isinstance(inner, str) else ""


def topic_title(name: str, topic: Topic) -> str:
    """Return the title of a topic, by default its name in words."""
    return topic.title or capitalised(re.sub(r"[_-]+", " ", name))


@dataclass(frozen=True)
class MoveChoice:
    """A legal move on the page of the player who decides.

    Attributes:
        move: The move in notation.
        kind: What kind of move it is, such as "Recruit a character".
        words: The move as a sentence.
        places: The places of the board to click for it, in this order; none if it has a button.
        needs_confirming: Whether the player confirms the move before it is played.
    """

    move: str
    kind: str
    words: str
    places: Sequence[str]
    needs_confirming: bool


class FinalScore(NamedTuple):
    """A player's final score, and whether the player wins.

    The score has the sign that people read: a length is positive, although the least length wins.
    """

    seat: int
    name: str
    score: int
    wins: bool


def table_context(state: TableState, viewer: Viewer, behind: int = 0) -> dict[str, Any]:
    """Return the values that the templates show of a table.

    Args:
        state: The table.
        viewer: The viewer.
        behind: The number of later moves, which the page does not show yet.
    """
    observer = viewer.observer(state)
    reader = viewer.seats[0] if len(viewer.seats) == 1 else None
    names = names_for_reader(state.plan.names, reader)
    decides = viewer.decides(state) and not behind
    choices = _move_choices(state, observer, names) if decides else []
    head = state.position.game.presentation.headline(position_on_turn(state, observer), names)
    drawn = drawn_board(state, observer)
    moves_seen = _moves_seen(state, viewer)
    # The strip begins with the viewer's own last move. A spectator's strip shows the latest moves.
    strip_start = moves_seen - 1 if viewer.seats else len(state.moves) - _RECENT_MOVES
    strip_start = max(0, strip_start)
    log = [last_move(state.up_to(at + 1), observer, reader) for at in range(len(state.moves))]
    # What the page's scripts read.
    turn = {
        "moves": [(choice.move, choice.places, choice.words) for choice in choices],
        # A forced move needs no confirmation.
        "confirm": [it.move for it in choices if it.needs_confirming and len(choices) > 1],
        "changed": drawn.changed_places(drawn_board(state.up_to(moves_seen), observer)),
        "behind": behind,
    }
    return {
        "state": state,
        "viewer": viewer,
        "head": head,
        "sentence": _sentence(state, reader, f"{head.sentence} {head.aside}".strip(), decides),
        "names": names,
        "standings": standings_bar(
            state.position.game.presentation,
            position_on_turn(state, observer),
            list(map(capitalised, names)),
        ),
        "columns": drawn.columns(_nearest_seat(state, viewer)),
        "groups": _by_kind(choices),
        # An escaped "<" cannot end the script element that holds the text.
        "turn": json.dumps(turn, separators=(",", ":")).replace("<", "\\u003c"),
        "log": turns(log),
        "strip": turns(log, strip_start),
        "moves_seen": moves_seen,
        "decides": decides,
        # The seat whose player must take over the shared screen before its cards are shown.
        "curtain": viewer.hidden_seat(state),
        "can_undo": not behind and _can_undo(state, viewer, observer),
        "have_chosen": _have_chosen(state, names),
        # The viewer's secret choice in words, which waits for those of others.
        "own_choice": _own_choice(state, observer, names),
        "sheet": final_sheet(state) if state.is_over else [],
        "ranks": final_scores(state, state.plan.names) if state.is_over else [],
    }


def _have_chosen(state: TableState, names: Sequence[str]) -> str:
    """Return a sentence that says who has chosen in secret; empty if nobody has."""
    if not state.chosen:
        return ""
    words = f"{seat_placeholder(*sorted(state.chosen))} {{have}} chosen in secret."
    return capitalised(with_names(words, names))


def _can_undo(state: TableState, viewer: Viewer, observer: int | None) -> bool:
    return observer in viewer.seats and not state.chosen and can_take_back(state, observer)


def _own_choice(state: TableState, observer: int | None, names: Sequence[str]) -> str:
    if observer is None or observer not in state.chosen:
        return ""
    return state.choosing[observer].describe_move(state.chosen[observer], names)


def _move_choices(
    state: TableState, observer: int | None, names: Sequence[str]
) -> list[MoveChoice]:
    assert observer is not None
    position = state.choosing[observer]
    seen = position_on_turn(state, observer)
    choices = []
    for move in position.moves():
        words = capitalised(position.describe_move(move, names))
        places = list(position.game.presentation.places(seen, move))
        confirm = position.game.presentation.needs_confirming(seen, move)
        kind = capitalised(position.game.actions.kind(position.action_id(move)))
        choices.append(MoveChoice(move, kind, words, places, confirm))
    return choices


def _by_kind(choices: Sequence[MoveChoice]) -> list[tuple[str, list[MoveChoice]]]:
    """Return moves by their kind, with the kind's title."""
    groups: dict[str, list[MoveChoice]] = {}
    for choice in choices:
        groups.setdefault(choice.kind, []).append(choice)
    return list(groups.items())


def _moves_seen(state: TableState, viewer: Viewer) -> int:
    """Return how many moves a viewer has seen before: all up to the last one of their own.

    A spectator has seen all but the last move.
    """
    if not viewer.seats:
        return max(len(state.moves) - 1, 0)
    seats = viewer.seats if viewer.revealed is None else (viewer.revealed,)
    own_moves = [at for at, before in enumerate(state.positions[:-1]) if before.to_move in seats]
    return own_moves[-1] + 1 if own_moves else 0


def _nearest_seat(state: TableState, viewer: Viewer) -> int | None:
    """Return the seat whose board is shown first: the viewer's own, or else the seat to move."""
    if not viewer.seats:
        return state.position.to_move
    return viewer.seats[0] if viewer.revealed is None else viewer.revealed


def _sentence(state: TableState, reader: int | None, words: str, decides: bool) -> str:
    """Return the sentence that says who decides what, or who has won.

    Args:
        state: The table.
        reader: The seat of the reader, who is called "you"; None for a spectator.
        words: The game's own words.
        decides: Whether the reader decides.
    """
    occupant = state.occupant_to_move
    is_agent = occupant is not None and occupant.agent is not None
    nobody_sits = [seat for seat in state.undecided if seat in state.open_seats]
    if state.undecided and not decides and (state.chosen or (nobody_sits and not is_agent)):
        return _whom_the_table_awaits(state, names_for_reader(state.plan.names, reader))
    if is_agent and not state.fault:
        return f"{state.name_to_move} is thinking …"
    if state.is_over and state.plan.players > 1:
        result = result_of(state)
        names = names_for_reader(state.plan.names, reader)
        outcome = outcome_in_words(result.places, result.scores, names, reader)
        return f"{capitalised(words).rstrip('.')}. {outcome}"
    # Words such as "you: choose a card" become "Your turn: choose a card".
    if decides and words.startswith(f"{YOU}:"):
        return f"Your turn{words.removeprefix(YOU)}"
    return f"Your turn. {capitalised(words)}" if decides else capitalised(words)


def _whom_the_table_awaits(state: TableState, names: Sequence[str]) -> str:
    """Return sentences that say who has chosen, and who has yet to choose or to take a seat."""
    nobody_sits = [seat for seat in state.undecided if seat in state.open_seats]
    people = [seat for seat in state.undecided if seat not in nobody_sits]
    waiting = []
    if people:
        waiting.append(f"Waiting for {seat_placeholder(*people)}.")
    if nobody_sits:
        waiting.append(f"Waiting for somebody to join as {seat_placeholder(*nobody_sits)}.")
    return f"{_have_chosen(state, names)} {with_names(' '.join(waiting), names)}".strip()


def final_sheet(game: GameHistory) -> list[tuple[str, list[int]]]:
    """Return the points of a finished game by source and seat, as people read them."""
    sign = game.position.game.presentation.score_sign
    return [(row, [sign * score for score in points]) for row, points in game.score_sheet(None)]


def final_scores(game: GameHistory, names: Sequence[str]) -> list[FinalScore]:
    """Return the players' scores from the best to the worst, with the winners first."""
    result = result_of(game)
    winners = game.position.winners or []
    order = sorted(range(game.position.players), key=lambda seat: result.places[seat])
    return [FinalScore(seat, names[seat], result.scores[seat], seat in winners) for seat in order]
