"""A person at the table: what they are shown, asked, and may ask."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

from shakespeare_agents.naming import default
from shakespeare_env import Position
from shakespeare_env.checks.values import command, shown
from shakespeare_env.cli import printing, screen
from shakespeare_env.cli.printing import move_lines, print_move
from shakespeare_env.cli.recorded import write_json_lines
from shakespeare_env.play.course import GameLog
from shakespeare_table.cli.answers import (
    Answers,
    Leave,
    NoMoveError,
    find_move,
    find_topics,
    is_number,
    names_move,
    topics_of_move,
)
from shakespeare_table.cli.hints import hint
from shakespeare_table.session import Session

_HELP = """\
Enter the number of a move, its text such as {example}, or as much of
that as no other move has; several moves are separated by spaces. Or:
  ? NAME       what a card, a move or a thing on the table does; so ? NUMBER
  table, full  the table again; all that lies on it
  moves        your moves again, with their texts
  log [COUNT]  the last moves and their effects
  scores       what everybody's score is made of so far
  hint [AGENT] what an agent would play in your place
  undo         take your last move back, where that gives no secret away
  save FILE    write the game, secrets and all, for `shakespeare replay`
  quit         leave the game; so do Ctrl-D and Ctrl-C"""
_LOG_LENGTH = 12
_MOST_EXPLAINED = 6
"""The most topics explained at once; of more only the names are shown."""


class GivenMoveError(Exception):
    """What is wrong with a move given in advance."""


class Person:
    """Holds one seat of a game.

    Args:
        session: The game, as the person knows it.
        seat: The person's.
    """

    def __init__(self, session: Session, seat: int) -> None:
        self.session = session
        self.seat = seat
        self._log = GameLog(session.course.names, seat)
        self._saved: set[Path] = set()
        self._drawn: int | None = None
        self._answers = Answers()
        self._commands: dict[str, Callable[[], None]] = {
            "?": self._explain,
            "help": self._explain,
            "table": self.show_table,
            "full": self._show_all,
            "moves": self._show_moves,
            "log": self._show_log,
            "scores": self.show_scores,
            "hint": self._hint,
            "undo": self._undo,
            "save": self._save,
            "quit": self._quit,
            "exit": self._quit,
        }

    @property
    def _position(self) -> Position:
        return self.session.position

    def play_given(self, given: Sequence[str]) -> None:
        """Play the person's first moves and print nothing; raises `GivenMoveError`."""
        for number, word in enumerate(given, 1):
            self.session.play_out()
            if self._position.to_move is None:
                raise GivenMoveError(f"the game is over before {shown(word)}; leave out the rest")
            try:
                self.session.push(find_move(word, self._position))
            except NoMoveError as fault:
                kinds = "a file nor a move" if number == 1 else "a move nor a number"
                raise GivenMoveError(f"move {number}: {shown(word)} is neither {kinds}") from fault
            except ValueError as fault:
                raise GivenMoveError(f"move {number}: {fault}") from fault

    def show_log(self, first: int = 0) -> None:
        """Print the moves from number `first` on, counted from 0."""
        for lines in self.session.lines(first):
            print_move(lines)

    def play(self) -> None:
        """Play on to the end; raises `Leave`."""
        while True:
            self.session.play_out(print_move)
            if self._position.to_move is None:
                return
            self.session.push(self._asked(), print_move)

    def save(self, path: Path) -> None:
        """Write the game so far, unless a file of another game is there.

        Raises:
            ValueError: it cannot be written.
        """
        if not path.name.endswith((".jsonl", ".jsonl.gz")):
            raise ValueError(f"{shown(str(path))}: give a file .jsonl or .jsonl.gz")
        if path not in self._saved and os.path.lexists(path):
            raise ValueError(f"there is a {shown(str(path))} already; give another name")
        try:
            write_json_lines(path, self.session.course)
        except (OSError, ValueError) as fault:  # ValueError: no file can have this name
            raise ValueError(f"cannot write {shown(str(path))}: {fault}") from fault
        self._saved.add(path)

    def show_table(self) -> None:
        """Draw the table as the person sees it."""
        screen.print_position(self._position.game, self._position.seen_by(self.seat))

    def show_scores(self) -> None:
        """Print the parts of all scores, as far as the person knows them."""
        sheet = self.session.score_sheet()
        printing.print_scores(self._position, self.session.course.names, sheet)

    def _asked(self) -> str:
        """The person's move."""
        asked_after = None
        while True:
            position, number = self._position, len(self.session.moves)
            if asked_after != number and not self._answers.waiting:
                if self._needs_table():
                    self._drawn = number
                    self.show_table()
                else:
                    screen.print_text()
                screen.print_text("\n".join(move_lines(position, screen.size()[0])))
            asked_after = number
            word = self._answers.next("Your move (? for help): ")
            try:
                # A move may have the name of a command.
                if word in position.moves() or word not in self._commands:
                    return find_move(word, position, self._commands)
                self._commands[word]()
            except ValueError as fault:
                for line in str(fault).splitlines():
                    screen.print_wrapped(line, 2)
                self._answers.rest()

    def _needs_table(self) -> bool:
        """Whether much has changed since a table was last drawn unasked.

        It has after another seat's decision, after an effect on other seats, and at the person's
        next turn: a decision of the same kind after one of another kind.
        """
        if self._drawn is None:
            return True
        since = self.session.positions[self._drawn :]
        steps = zip(pairwise(since), self.session.moves[self._drawn :], strict=True)
        seats = {position.to_move for position in since}
        seats |= {
            event.seat
            for (before, after), move in steps
            for event in self._log.events(before, move, after)
        }
        if seats != {self.seat}:
            return True
        alike = [bool(_kinds(since[0]) & _kinds(position)) for position in since]
        return alike[-1] and not all(alike)

    def _topics(self) -> dict[str, str]:
        position = self._position
        return dict(position.game.presentation.topics(position.seen_by(self.seat)))

    def _explain(self) -> None:
        position, words = self._position, self._answers.rest()
        if not words:
            screen.print_text(_HELP.format(example=position.moves()[0]))
            return
        topics = self._topics()
        if words not in topics and names_move(words):
            move = words if position.is_move(words) else find_move(words, position)
            screen.print_wrapped(f"{position.describe_move(move)}  ({move})", 2)
            found = topics_of_move(move, topics)
        else:
            found = find_topics(words, topics)
        if len(found) > _MOST_EXPLAINED:
            screen.print_wrapped(f"{words!r} could be: {', '.join(found)}", 2)
            return
        for name in found:
            for number, line in enumerate(topics[name].splitlines()):
                screen.print_wrapped(f"  {line}" if number else f"{name}: {line}", 2)

    def _show_all(self) -> None:
        screen.print_text(
            f"\n{self._position.game.presentation.draw(self._position.seen_by(self.seat))}\n"
        )

    def _show_moves(self) -> None:
        printing.print_moves(self._position, numbered=True)

    def _show_log(self) -> None:
        words = self._answers.rest() or str(_LOG_LENGTH)
        if not is_number(words):
            raise ValueError(f"log {shown(words)}: give a number of moves, as in log {_LOG_LENGTH}")
        self.show_log(max(0, len(self.session.moves) - int(words)))

    def _hint(self) -> None:
        for line in hint(self._position, self._answers.rest() or default(self._position.game)):
            screen.print_wrapped(line, 12)

    def _undo(self) -> None:
        move = self.session.take_back(self.seat)
        self._drawn = None
        screen.print_text(f"Taken back: {move}")

    def _save(self) -> None:
        words = self._answers.rest()
        if not words:
            raise ValueError("name a file, as in save game.jsonl")
        self.save(Path(words))
        screen.print_text(f"Saved; to look at it: {command('replay', words)}")

    def _quit(self) -> None:
        raise Leave


def _kinds(position: Position) -> set[str]:
    """The kinds of the legal moves: their first words."""
    return {move.partition(":")[0] for move in position.moves()}
