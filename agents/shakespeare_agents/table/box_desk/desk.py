"""An owner's values put into a box file: with each fault beside its value."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from shakespeare_agents.table.box_desk.document import (
    add_item,
    before,
    item_of,
    set_source,
    take_away,
)
from shakespeare_agents.table.box_desk.facts import (
    Fact,
    FieldError,
    bundled_box,
    facts_of,
    name_of,
    read_value,
    source_of,
    value_at,
)
from shakespeare_env.boxes import MISSING, as_file, put_at
from shakespeare_env.checks.box_files import Keys, Wanted
from shakespeare_env.core import registry
from shakespeare_env.errors import BoxError

OWN = "my copy"
"""The source given to an owner's values by default."""
LONGEST_FILE = 2**18
"""Characters of a box file."""
_LONGEST_SOURCE = 200
_MOST_FAULTS = 30
"""Faults shown at once."""
_MOST_ADDED = 20
"""Items added to one list at once."""


@dataclass
class Entered:
    """What has become of an owner's values.

    Attributes:
        text: The box file with those that were accepted.
        facts: Its entries.
        faults: Why a value was refused and what to write, by the entry's name.
        fault: What is wrong with the box as a whole, "" if nothing.
    """

    text: str
    facts: list[Fact] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)
    fault: str = ""

    @property
    def is_good(self) -> bool:
        """Whether every value was accepted."""
        return not (self.faults or self.fault)


def opened(game: str, text: str) -> Entered:
    """A box file to start from; tables that it lacks come from the package's own.

    Raises:
        BoxError: it is no box of this game.
    """
    document = _parsed(text)
    own = bundled_box(game)
    missing = [name for name in tomllib.loads(own) if name not in document]
    if missing:
        tables = tomlkit.parse(own)
        for name in missing:
            document[name] = tables[name]
    asked, error = _asked_of(game, tomlkit.dumps(document))
    if error is not None:
        raise BoxError(_words(error), error.keys)
    return Entered(tomlkit.dumps(document), facts_of(game, document.unwrap(), asked))


def entered(
    game: str,
    text: str,
    given: Mapping[str, str],
    confirmed: Collection[str] = (),
    source: str = OWN,
    added: Mapping[str, Sequence[str]] | None = None,
    taken: Collection[str] = (),
) -> Entered:
    """A box file with an owner's values.

    Values are tried together. One that the game's reader refuses goes back to what it was, until
    the rest is a box, so that each gets its own fault.

    Args:
        game: Its name.
        text: The text of an accepted box, as from `opened`.
        given: What is in the fields, by names of entries; others stay as they are.
        confirmed: Names of entries that the owner has found on the copy as they are.
        source: The source to give to changed and confirmed values.
        added: Ids of items to add, by names of lists; each copies the last item but for `given`.
        taken: Names of items to take away.

    Raises:
        BoxError: the text to start from is no box of this game.
    """
    start = opened(game, text)
    said = " ".join(source.split())[:_LONGEST_SOURCE] or OWN
    attempt = _Attempt(game, start, given, said)
    attempt.change_lists(added or {}, taken)
    attempt.settle()
    document = attempt.document()
    if attempt.faults or attempt.fault:
        facts = facts_of(game, document.unwrap(), attempt.asked)
        return Entered(start.text, facts, attempt.faults, attempt.fault)
    for keys in [*attempt.changes, *(f.wanted.keys for f in start.facts if f.name in confirmed)]:
        if source_of(document.unwrap(), keys) != said:
            set_source(document, keys, said)
    take_away(document, attempt.taken)
    return opened(game, tomlkit.dumps(document))


class _Attempt:
    """Values tried in a copy of a box.

    Attributes:
        asked: All entries that the reader has asked for so far.
        changes: What entries are now, of those that are not what they were.
        taken: Items to take away once all else is done, so that keys stay what they are.
    """

    def __init__(self, game: str, start: Entered, given: Mapping[str, str], source: str) -> None:
        self.changes: dict[Keys, Any] = {}
        self.faults: dict[str, str] = {}
        self.fault = ""
        self.asked = [fact.wanted for fact in start.facts]
        self.taken: frozenset[Keys] = frozenset()
        self._game = game
        self._start = start.text
        self._given = given
        self._source = source
        self._facts = start.facts
        self._added: list[tuple[Keys, str]] = []
        self._met: dict[Keys, Fact] = {}

    def change_lists(self, added: Mapping[str, Sequence[str]], taken: Collection[str]) -> None:
        """Note what to add to lists of the file, and what to take away."""
        items = {item_of(fact.wanted.keys) for fact in self._facts} - {()}
        lists = {name_of(item[:-1]): item[:-1] for item in items}
        self.taken = frozenset(item for item in items if name_of(item) in taken)
        for name, keys in lists.items():
            last = max(item for item in items if item[:-1] == keys)
            like = [wanted for wanted in self.asked if item_of(wanted.keys) == last]
            for more, own in enumerate(added.get(name, ())[:_MOST_ADDED], 1):
                self._added.append((keys, own))
                number = int(last[-1]) + more
                self.asked += [
                    replace(wanted, keys=(*keys, number, *wanted.keys[len(last) :]))
                    for wanted in like
                ]
        self._facts = facts_of(self._game, self.document().unwrap(), self.asked)

    def settle(self) -> None:
        """Take back values until the rest is a box, or the fault is not in what was changed."""
        self._meet(self._facts)
        while True:
            document = self.document()
            data = document.unwrap()
            take_away(document, self.taken)
            found, error = _asked_of(self._game, tomlkit.dumps(document))
            asked = [replace(one, keys=before(one.keys, self.taken)) for one in found]
            self.asked += asked
            new = facts_of(self._game, data, asked)
            if self._meet([fact for fact in new if fact.wanted.keys not in self._met]):
                continue  # another kind of card has other values
            if error is None or not self._blame(error, data):
                return

    def document(self) -> tomlkit.TOMLDocument:
        """The box with all changes, and what is to be taken away still there."""
        document = tomlkit.parse(self._start)
        for keys, own in self._added:
            add_item(document, keys, own, self._source)
        for keys, value in self.changes.items():
            put_at(document, keys, value)
        return document

    def _meet(self, facts: Sequence[Fact]) -> bool:
        """Put what was given into entries met for the first time; whether any has changed."""
        known = len(self.changes)
        for fact in facts:
            self._met[fact.wanted.keys] = fact
            if fact.name in self._given and item_of(fact.wanted.keys) not in self.taken:
                self._put(fact, self._given[fact.name])
        return len(self.changes) > known

    def _put(self, fact: Fact, text: str) -> None:
        try:
            value = read_value(fact.wanted.kind, text)
        except FieldError as error:
            self.faults[fact.name] = str(error)
            return
        if fact.wanted.optional and value in ({}, False) and fact.value is MISSING:
            return
        if fact.wanted.optional and value == {}:
            value = MISSING
        if value != fact.value:
            self.changes[fact.wanted.keys] = value

    def _blame(self, error: BoxError, data: Mapping[str, Any]) -> bool:
        """Note a fault; whether a value was taken back, so that there may be more to find."""
        keys = before(error.keys, self.taken)
        while keys and keys not in self._met:
            keys = keys[:-1]
        if not keys:
            self.fault = _words(error)
            return False
        fact = self._met[keys]
        emptied = not self._given.get(fact.name, "kept").strip()
        if emptied and value_at(data, keys) == {}:
            self.changes[keys] = MISSING  # the kind of card has no such values at all
            return True
        self.faults.setdefault(fact.name, f"{error.fault}; {error.remedy}")
        # Where the entry itself was not changed, its neighbours were.
        neighbours = [other for other in self.changes if other[:-1] == keys[:-1]]
        changed = [keys] if keys in self.changes else neighbours
        for other in changed:
            del self.changes[other]
        return bool(changed) and len(self.faults) < _MOST_FAULTS


def _asked_of(game: str, text: str) -> tuple[list[Wanted], BoxError | None]:
    """The entries that a game's reader asks for, and why it refuses the file, if it does."""
    asked: list[Wanted] = []
    try:
        with as_file(text) as path:
            registry.read_box(game, path, asked.append)
    except BoxError as error:
        return asked, error
    return asked, None


def _parsed(text: str) -> tomlkit.TOMLDocument:
    if len(text) > LONGEST_FILE:
        raise BoxError(
            f"this file has {len(text):,} characters; a box has {LONGEST_FILE:,} at most"
        )
    try:
        tomllib.loads(text)
        # Tables may be added after the last line.
        return tomlkit.parse(text if text.endswith("\n") else f"{text}\n")
    except (ValueError, TOMLKitError, RecursionError) as error:
        raise BoxError(
            f"this is not a TOML file ({str(error)[:200]}); choose a box file"
        ) from error


def _words(error: BoxError) -> str:
    """A refusal without the name of our temporary file."""
    return str(error).partition(": ")[2] if error.remedy else str(error)
