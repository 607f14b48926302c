"""A person who plays at the terminal, by typing moves and commands."""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import typer

from shakespeare_agents.making import make
from shakespeare_agents.naming import default
from shakespeare_agents.storage import write_output
from shakespeare_env import IllegalMove, Position
from shakespeare_env.checks.values import did_you_mean, parse_number, short_repr
from shakespeare_env.cli.choices import exit_with_error
from shakespeare_env.core.presentation import Topic
from shakespeare_env.core.seat_names import YOU
from shakespeare_env.errors import own_frames
from shakespeare_env.play.history import GameHistory
from shakespeare_table.cli import printing, screen
from shakespeare_table.recorded import to_json_lines
from shakespeare_table.session import Session, choose

_HELP = """\
Enter the number of a move, its text such as {example}, or as much of
that as no other move has; several moves are separated by spaces. Or:
  ?            show the table
  ? NAME       explain a card, a move or a thing on the table; or ? NUMBER
  moves        list your moves again, with their texts
  log [COUNT]  list the last moves and their effects
  scores       list the parts of everybody's score so far
  hint [AGENT] show what an agent would play in your place, and why
  undo         take your last move back, if that gives no secret away
  quit         leave the game, as do Ctrl-D and Ctrl-C"""
_PROMPT = "Your move (? table, help): "
_SHORT_TABLE = 12  # lines
_LOG_LENGTH = 12
_MAX_EXPLAINED = 6  # topics; if more are found, only their names are listed
_SEPARATORS = re.compile(r"[:>]")


class PlayerLeft(Exception):  # noqa: N818 - leaving is no error
    """Raised when the person leaves the game."""


class TypedWords:
    """The words that a person types, line by line.

    Attributes:
        waiting: The words of the current line that have not been read yet.
    """

    def __init__(self) -> None:
        self.waiting: deque[str] = deque()

    def next(self, prompt: str) -> str:
        """Return the next word, or raise `PlayerLeft` if the input ends or is interrupted."""
        while not self.waiting:
            self.waiting.extend(_line(prompt).split())
        return self.waiting.popleft()

    def rest(self) -> str:
        """Return the rest of the line, which may be empty."""
        words = " ".join(self.waiting)
        self.waiting.clear()
        return words


def _line(prompt: str) -> str:
    if sys.stdin is None:  # the standard input is closed
        raise PlayerLeft
    try:
        if sys.stdin.isatty():
            return input(prompt)
        typer.echo(prompt, nl=False)
        line = sys.stdin.readline()
    except (EOFError, KeyboardInterrupt):
        line = ""
    except UnicodeDecodeError as error:
        exit_with_error(f"the input is not text ({error}); write one move per line")
    if not line:
        typer.echo()
        raise PlayerLeft
    typer.echo(line.removesuffix("\n"))
    return line


def find_move(answer: str, position: Position, commands: Iterable[str] = ()) -> str:
    """Return the legal move that a person means.

    Args:
        answer: The move's text, a part of it, or the move's number in the list of legal moves.
        position: The position.
        commands: The commands, which errors suggest for a misspelt word.

    Raises:
        ValueError: The answer fits no move, or several moves.
    """
    legal = position.moves()
    if answer in legal:
        return answer
    if answer.isascii() and answer.isdigit():
        number = parse_number(answer)
        if number is None or not 1 <= number <= len(legal):
            last = len(legal)
            raise ValueError(f"there is no move {answer[:9]}; the moves are numbered 1 to {last}")
        return legal[number - 1]
    if position.is_move(answer):
        raise ValueError(
            f"{answer} ({position.describe_move(answer)}) is not legal now; enter a listed move"
        )
    texts = [re.escape(part) for part in _SEPARATORS.split(answer.lower())]
    # Parts of a move are separated by `:` or `>`, and the words of a part by `_`. Every part of the
    # answer must be the beginning of a word: `keep:dresser` finds `keep:set_dresser_8`.
    pattern = rf"(^|[:>_]){'[^:>]*[:>]([^:>]*_)?'.join(texts)}"
    found = [move for move in legal if any(texts) and re.search(pattern, move.lower())]
    if not found:
        parts = [part for move in legal for part in _SEPARATORS.split(move)]
        question = did_you_mean(answer, [*commands, *legal, *parts])
        raise ValueError(
            f"{short_repr(answer)} is neither a move nor a number{question}; enter help to see "
            "what you can enter"
        )
    if len(found) > 1:
        listed = ", ".join(f"{legal.index(move) + 1} {move}" for move in found)
        raise ValueError(f"{answer!r} could be: {listed}; enter more of it")
    return found[0]


def _find_topics(words: str, topics: Mapping[str, Topic]) -> list[str]:
    """Return the topic with a name, or else all topics whose names contain it."""
    wanted = re.sub(r"[\s_-]+", "_", words.strip().lower())
    if wanted in topics:
        return [wanted]
    found = [name for name in topics if wanted in name.lower()]
    if found:
        return found
    remedy = did_you_mean(wanted, topics) or f"; the names are {', '.join(sorted(topics))}"
    raise ValueError(f"nothing is called {short_repr(words)}{remedy}")


class Person:
    """A person who holds one seat of a session, at the terminal."""

    def __init__(self, session: Session, seat: int) -> None:
        self.session = session
        self.seat = seat
        self._saved: set[Path] = set()  # the files that `save` may replace
        self._chapter: object = None  # the day or round for which the table was last drawn
        self._typed = TypedWords()
        self._commands: dict[str, Callable[[], None]] = {
            "?": self._explain,
            "help": self._help,
            "moves": lambda: printing.print_moves(self._position, numbered=True),
            "log": self._show_log,
            "scores": self.show_scores,
            "hint": self._hint,
            "undo": self._undo,
            "quit": self._quit,
        }

    @property
    def _position(self) -> Position:
        return self.session.position

    def play_given(self, given: Sequence[str]) -> None:
        """Play the person's first moves without printing; ValueError if one is wrong."""
        for number, word in enumerate(given, 1):
            self.session.play_out()
            if self._position.to_move is None:
                raise ValueError(f"the game is over before {short_repr(word)}; leave out the rest")
            try:
                self.session.push(find_move(word, self._position))
            except ValueError as fault:
                raise ValueError(f"move {number}: {fault}") from fault

    def show_log(self, first: int = 0) -> None:
        """Print the moves from number `first` on, counted from 0."""
        history = self.session.history
        for at in range(first, len(history.moves)):
            printing.print_move(history.lines(at, self.seat))

    def play(self) -> None:
        """Play to the end of the game, or raise `PlayerLeft`."""
        while True:
            self.session.play_out(self._show_last)
            if self._position.to_move is None:
                return
            self.session.push(self._ask(), self._show_last)

    def save(self, path: Path) -> None:
        """Write the game so far to a file. A file that was there before is not replaced.

        Raises:
            ValueError: The game cannot be written.
        """
        if not path.name.endswith((".jsonl", ".jsonl.gz")):
            raise ValueError(
                f"{short_repr(str(path))} does not end in .jsonl or .jsonl.gz; give such a name"
            )
        if path not in self._saved and os.path.lexists(path):
            raise ValueError(f"{short_repr(str(path))} exists already; give another name")
        try:
            write_output(path, to_json_lines(self.session.history, path.suffix == ".gz"))
        except (OSError, ValueError) as fault:  # ValueError: no file can have this name
            raise ValueError(f"cannot write {short_repr(str(path))}: {fault}") from fault
        self._saved.add(path)

    def show_table(self) -> None:
        """Draw the table as the person may see it."""
        screen.print_position(self._position.game, self._position.seen_by(self.seat))

    def show_scores(self) -> None:
        """Print the parts of all scores that the person may know."""
        history = self.session.history
        printing.print_scores(self._position, history.names, history.score_sheet(self.seat))

    def _show_last(self, history: GameHistory) -> None:
        self.show_log(len(history.moves) - 1)

    def _ask(self) -> str:
        asked_after = None  # the number of moves when the person was last asked here
        while True:
            position = self._position
            number = len(self.session.moves)
            if asked_after != number and not self._typed.waiting:
                self._show_situation()
                screen.print_text("\n".join(printing.move_lines(position, screen.size()[0])))
            asked_after = number
            word = self._typed.next(_PROMPT)
            try:
                # A move may have the name of a command.
                if word in position.moves() or word not in self._commands:
                    return find_move(word, position, self._commands)
                self._commands[word]()
            except ValueError as fault:
                for line in str(fault).splitlines():
                    screen.print_wrapped(line, 2)
                self._typed.rest()

    def _show_situation(self) -> None:
        """Draw the table once a day or round, and whenever it is short.

        Otherwise print where the game stands. The log has told what the moves since have changed.
        """
        seen = self._position.seen_by(self.seat)
        presentation = self._position.game.presentation
        chapter = seen[presentation.chapter]
        is_short = len(presentation.draw(seen).splitlines()) <= _SHORT_TABLE
        if is_short or chapter != self._chapter:
            self._chapter = chapter
            self.show_table()
            return
        head = presentation.headline(seen)
        screen.print_text()
        screen.print_wrapped(f"{head.progress} · {head.phase}", 2)
        screen.print_wrapped(f"▶ {head.sentence} {head.aside}".rstrip(), 2)
        screen.print_text()

    def _help(self) -> None:
        screen.print_text(_HELP.format(example=self._position.moves()[0]))

    def _explain(self) -> None:
        position = self._position
        words = self._typed.rest()
        if not words:
            self.show_table()
            return
        topics = position.game.presentation.topics(position.seen_by(self.seat))
        if words not in topics and (_SEPARATORS.search(words) or words.isdigit()):
            move = words if position.is_move(words) else find_move(words, position)
            screen.print_wrapped(f"{position.describe_move(move)}  ({move})", 2)
            # A part such as `handyman_board+3` is explained under the name before the `+`.
            parts = (part.partition("+")[0] for part in _SEPARATORS.split(move))
            found = [part for part in dict.fromkeys(parts) if part in topics]
        else:
            found = _find_topics(words, topics)
        if len(found) > _MAX_EXPLAINED:
            screen.print_wrapped(f"{words!r} could be: {', '.join(found)}; enter more of it", 2)
            return
        for name in found:
            for number, line in enumerate(str(topics[name]).splitlines()):
                screen.print_wrapped(f"  {line}" if number else f"{name}: {line}", 2)

    def _show_log(self) -> None:
        words = self._typed.rest() or str(_LOG_LENGTH)
        count = parse_number(words)
        if count is None:
            raise ValueError(
                f"log {short_repr(words)}: give a number of moves, as in log {_LOG_LENGTH}"
            )
        self.show_log(max(0, len(self.session.moves) - count))

    def _hint(self) -> None:
        name = self._typed.rest() or default(self._position.game)
        move = suggested_move(self._position, name)
        screen.print_wrapped(hint(self._position, name, move), indent=12)
        screen.print_wrapped(reason_for(self._position, move), indent=12)

    def _undo(self) -> None:
        move = self.session.take_back(self.seat)
        screen.print_text(f"Taken back: {move}")

    def _quit(self) -> None:
        raise PlayerLeft


def hint(position: Position, name: str, move: str) -> str:
    """Return a sentence with the move that an agent would play for the seat to move."""
    number = position.moves().index(move) + 1
    return f"{name} would play {number}  {position.describe_move(move)}  ({move})"


def reason_for(position: Position, move: str) -> str:
    """Return a sentence that compares a move with the best other one.

    The game's default agent plays on after both, in games that are possible for all that the seat
    to move knows.
    """
    # A slow import is late to keep the first prompt quick.
    from shakespeare_table.analysis.analyst import Analyst
    from shakespeare_table.analysis.deviation import judge_deviation
    from shakespeare_table.analysis.playouts import advise
    from shakespeare_table.analysis.reasons import reasons_in_words

    legal = position.moves()
    assert position.to_move is not None
    possible = position.determinize(position.to_move, 0)
    analyst = Analyst(position.game)
    advice = advise(possible, analyst)
    others = [worth.move for worth in advice.evaluation.moves if worth.move != move]
    if not others:
        return "It is the only move to think of."
    other = others[0]
    found = judge_deviation(possible, move, other, analyst, stored=advice.stored)
    than = f"{legal.index(other) + 1}  {position.describe_move(other)}  ({other})"
    if not found.gain.is_clear:
        return f"There is no clear difference from {than}."
    is_better = found.gain.amount > 0
    names = [f"seat {seat}" for seat in range(position.players)]
    names[position.to_move] = YOU
    why = reasons_in_words(position.game, found.reasons, found.gain, names)
    if why:
        why = f" {'With it' if is_better else 'With the other'}, {why[0].lower()}{why[1:]}."
    amount = abs(found.gain.amount)
    margin = found.gain.margin
    if found.gain.in_points:
        quality = "better" if is_better else "worse"
        return f"It is {amount:.1f} ± {margin:.1f} points {quality} than {than}.{why}"
    chance = f"{100 * amount:.1f} ± {100 * margin:.1f} %"
    return f"It wins {chance} {'more' if is_better else 'less'} often than {than}.{why}"


def suggested_move(position: Position, name: str) -> str:
    """Return the move that an agent would play for the seat to move.

    The agent draws from a generator of its own, so a hint does not change how the game goes on.

    Raises:
        ValueError: There is no such agent, or it fails.
    """
    try:
        agent = make(name, position.game)
    except (ValueError, TypeError, ImportError) as fault:
        raise ValueError(str(fault)) from fault
    try:
        return choose(agent, position)
    except Exception as fault:  # the agent may be anybody's code
        raise ValueError("\n".join(fault_lines(name, fault, position))) from fault


def fault_lines(name: str, fault: Exception, position: Position) -> list[str]:
    """Return lines that name a fault of an agent and its place in the agent's own code."""
    if isinstance(fault, IllegalMove):
        chosen = fault.move  # in notation, or the number of an action
        if not isinstance(chosen, str) and 0 <= chosen < position.game.actions.size:
            chosen = position.move_text(chosen)
        return [f"{name} chose the illegal move {chosen}"]
    steps = "".join(traceback.format_list(own_frames(fault))).splitlines()
    return [f"{name} failed: {type(fault).__name__}: {fault}", *steps]
