"""Reading a box file entry by entry, and what the rules ask of its entries together.

Every refusal is a `BoxError` in the same words: file, entry, fault with its value, remedy.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from shakespeare_env.errors import BoxError

if TYPE_CHECKING:
    from shakespeare_env.shakespeare.box import Character, Space

CRAFTSMEN = ("costume_mistress", "set_dresser", "handyman")

_DECK = 30
_DAYS = 6
_STARTING_KINDS = ("actor", "actor", "handyman", "queen")
_STARTING_REMEDY = "list two actors, a handyman and the queen"

# Act I pays on 5, 7 and the last space, Act III on 6, 8 and the last (Rules R2): the last lies past
# them. The solo disc moves to space 8 of every act (Rules V2).
_SHORTEST_ACTS = (8, 8, 9)


@dataclass(frozen=True)
class Entry:
    """A table of a box file.

    Attributes:
        path: The box file.
        where: How an error names the table, e.g. "[acts]" or "[[character]] hamlet"; empty for
            the whole file.
        prefix: The keys that lead from there to this table, each followed by a dot.
        data: The table itself.
    """

    path: Path
    where: str
    prefix: str
    data: Mapping[str, object]

    def refuse(self, key: str, fault: str, remedy: str) -> NoReturn:
        """Raises the BoxError for a key of this table (an empty key: for the table itself)."""
        keys = f"{self.prefix}{key}".rstrip(".")
        name = ": ".join(part for part in (self.where, keys) if part)
        raise BoxError(f"{self.path}: {name}: {fault}; {remedy}")

    def only(self, known: Sequence[str], noun: str = "key") -> None:
        """Refuses a key that is not known, with the closest known one."""
        for key in self.data:
            if key not in known:
                self.refuse(key, f"{key!r} is no {noun}", _suggest(key, known))
        if "source" in known and "source" in self.data:
            self.text("source")

    def without(self, keys: Iterable[str], reason: str) -> None:
        """Refuses keys that exist, but not in a table such as this one."""
        for key in keys:
            if key in self.data:
                self.refuse(key, f"{_show(self.data[key])}: {reason}", f"remove {key}")

    def value(self, key: str, wanted: str) -> object:
        """The value of a key that has to be there; `wanted` is the remedy's word for it."""
        if key not in self.data:
            self.refuse(key, "missing", f"add {key} ({wanted})")
        return self.data[key]

    def integer(self, key: str, low: int, high: int) -> int:
        """A whole number from low to high."""
        wanted = f"a whole number from {low} to {high}"
        return self._whole(key, self.value(key, wanted), low, high)

    def integers(self, key: str, count: int, low: int, high: int) -> list[int]:
        """A list of `count` whole numbers from low to high."""
        wanted = f"a list of {count} whole numbers from {low} to {high}"
        values = self.value(key, wanted)
        if not isinstance(values, list) or len(values) != count:
            self.refuse(key, f"{_show(values)} is not {wanted}", f"write {wanted}")
        return [self._whole(key, value, low, high) for value in values]

    def number(self, key: str, low: int, high: int, noun: str) -> int:
        """The key itself as a whole number from low to high, written without zeros in front."""
        if re.fullmatch("0|[1-9][0-9]{0,5}", key) is None or not low <= int(key) <= high:
            remedy = f"write a whole number from {low} to {high}"
            self.refuse(key, f"{key!r} is no {noun}", remedy)
        return int(key)

    def text(self, key: str) -> str:
        """A text that is not empty."""
        value = self.value(key, "a text")
        if not isinstance(value, str) or not value.strip():
            self.refuse(key, f"{_show(value)} is not a text", "write a text between quotes")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of different texts."""
        values = self.value(key, "a list of ids")
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            self.refuse(key, f"{_show(values)} is not a list of ids", 'write e.g. ["a1", "a2"]')
        for value in values:
            if values.count(value) > 1:
                self.refuse(key, f"{value!r} is listed twice", "list it once")
        return tuple(values)

    def identifier(self, key: str) -> str:
        """An id as moves write it; extra1, extra2, ... already name extras there."""
        value = self.text(key)
        if re.fullmatch("[a-z0-9_]+", value) is None:
            self.refuse(key, f"{value!r} is not an id", "use only a to z, 0 to 9 and _")
        if re.fullmatch("extra[0-9]+", value):
            self.refuse(key, f"{value!r} is how moves name an extra", "choose another id")
        return value

    def truth(self, key: str) -> bool:
        """True or false."""
        value = self.value(key, "true or false")
        if not isinstance(value, bool):
            self.refuse(key, f"{_show(value)} is not true or false", "write true or false")
        return value

    def choice(self, key: str, known: Sequence[str], noun: str) -> str:
        """One of the known texts."""
        value = self.text(key)
        if value not in known:
            self.refuse(key, f"{value!r} is no {noun}", _suggest(value, known))
        return value

    def table(self, key: str) -> "Entry":
        """The table under a key."""
        value = self.value(key, "a table")
        if not isinstance(value, dict):
            self.refuse(key, f"{_show(value)} is not a table", f"write {key} = {{ ... }}")
        return Entry(self.path, self.where, f"{self.prefix}{key}.", value)

    def section(self, key: str) -> "Entry":
        """A table of the whole file, named in brackets."""
        name = f"[{key}]"
        value = self.data.get(key)
        if value is None:
            self.refuse(name, "missing", f"add the table {name}; the package's box.toml has one")
        if not isinstance(value, dict):
            self.refuse(name, f"{_show(value)} is not a table", f"write it under {name}")
        return Entry(self.path, name, "", value)

    def tables(self, key: str, where: str) -> "list[Entry]":
        """The tables of a list; errors name each by its id, or by its number if it has none."""
        values = self.value(key, "a list of tables")
        if not isinstance(values, list):
            self.refuse(key, f"{_show(values)} is not a list of tables", "write one table for each")
        entries = []
        for number, value in enumerate(values, start=1):
            if not isinstance(value, dict):
                self.refuse(key, f"{_show(value)} is not a table", "write one table for each")
            own = value.get("id")
            name = own if isinstance(own, str) and own.strip() else f"number {number}"
            entries.append(Entry(self.path, f"{where}{name}", "", value))
        return entries

    def _whole(self, key: str, value: object, low: int, high: int) -> int:
        remedy = f"write a whole number from {low} to {high}"
        # A TOML boolean is a Python bool, which is an int.
        if isinstance(value, bool) or not isinstance(value, int):
            self.refuse(key, f"{_show(value)} is not a whole number", remedy)
        if not low <= value <= high:
            self.refuse(key, f"{_show(value)} is out of range", remedy)
        return value


def read_file(path: Path) -> Entry:
    """The whole of a TOML file; BoxError if it cannot be read or is not TOML."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        remedy = "give the path of a box file, or unset SHAKESPEARE_BOX"
        raise BoxError(f"{path}: cannot be read ({error.strerror}); {remedy}") from error
    except ValueError as error:
        remedy = "correct it, or start again from the package's box.toml"
        raise BoxError(f"{path}: not a TOML file ({error}); {remedy}") from error
    return Entry(path, "", "", data)


def check_list(entry: Entry, key: str, ids: Sequence[str], low: int, high: int) -> None:
    """Refuses tables that share an id, or more or fewer than the engine or a game needs."""
    for own in ids:
        if ids.count(own) > 1:
            entry.refuse(f"{key} {own}", f"the id {own!r} is used twice", "rename one of the two")
    if not low <= len(ids) <= high:
        entry.refuse(key, f"{len(ids)} of them", f"give {low} to {high}")


def check_act_lengths(acts: Entry, lengths: Sequence[int]) -> None:
    """Refuses an act shorter than its thresholds (Rules R2, V2)."""
    for name, length, shortest in zip(("I", "II", "III"), lengths, _SHORTEST_ACTS, strict=True):
        if length < shortest:
            fault = f"Act {name} has {length} spaces, shorter than its thresholds"
            acts.refuse("length", fault, f"give it at least {shortest}")


def check_bag(bag: Entry, seats: int, elements: int) -> None:
    """Refuses a bag that runs out before the display of day 6 (Rules S4, U2)."""
    need = _DAYS * 3 * seats
    if elements < need:
        fault = f"{elements} elements, but {_DAYS} days draw {need}"
        bag.refuse(str(seats), fault, f"add at least {need - elements}")


def check_starting(board: Entry, starting: Sequence[str], characters: Sequence[Entry]) -> None:
    """Refuses a board that does not list four characters of the file."""
    if len(starting) != len(_STARTING_KINDS):
        board.refuse("starting", f"{len(starting)} characters", _STARTING_REMEDY)
    ids = tuple(str(character.data.get("id")) for character in characters)
    for own in starting:
        if own not in ids:
            remedy = f"add its [[character]] table; {_suggest(own, ids)}"
            board.refuse("starting", f"{own!r} is no character", remedy)


def check_starting_kinds(board: Entry, characters: "Sequence[Character]") -> None:
    """Refuses a board that does not have its four characters (Rules S2)."""
    kinds = sorted(character.kind for character in characters)
    if kinds != sorted(_STARTING_KINDS):
        fault = f"{', '.join(kinds)} are not the four of a board"
        board.refuse("starting", fault, _STARTING_REMEDY)


def check_deck(root: Entry, characters: "Sequence[Character]") -> None:
    """Refuses two copies of an actor (Rules T12) and a deck that is not of 30 cards (Rules S5)."""
    for character in characters:
        if character.kind == "actor" and character.copies > 1:
            name = f"[[character]] {character.id}: copies"
            fault = f"{character.copies} copies of an actor, which moves name by its card"
            root.refuse(name, fault, "write 1")
    total = sum(character.copies for character in characters)
    if total != _DECK:
        fault = f"the copies add up to {total} cards"
        root.refuse("[[character]]", fault, f"change copies so that they add up to {_DECK}")


def check_points(objective: Entry, points: Sequence[tuple[int, int]]) -> None:
    """Refuses an objective without a step, or whose prestige falls as its threshold rises."""
    if not points:
        objective.refuse("points", "no step", "write e.g. points = { 4 = 2, 5 = 3 }")
    for (low, less), (high, more) in pairwise(points):
        if more < less:
            fault = f"{more} prestige from {high}, but {less} from {low}"
            objective.refuse(f"points.{high}", fault, "let prestige rise with the threshold")


def check_stage(entries: Mapping[str, Entry], spaces: "Sequence[Space]") -> None:
    """Refuses mirrors that do not pair up and supports that are not underneath (Rules T13)."""
    by_id = {space.id: space for space in spaces}
    ids = tuple(by_id)
    for space in spaces:
        entry = entries[space.id]
        if space.mirror not in by_id:
            entry.refuse("mirror", f"{space.mirror!r} is no space", _suggest(space.mirror, ids))
        mirror = by_id[space.mirror]
        if mirror.mirror != space.id:
            fault = f"{mirror.id!r}, but the mirror of {mirror.id} is {mirror.mirror!r}"
            entry.refuse("mirror", fault, f"let {space.id} and {mirror.id} name each other")
        if mirror.row != space.row:
            fault = f"{mirror.id!r} is in row {mirror.row}, not {space.row}"
            entry.refuse("mirror", fault, "pair spaces of one row")
        if space.row == 1 and space.on:
            fault = f"{_show(list(space.on))}, but nothing is underneath row 1"
            entry.refuse("on", fault, "remove on, or correct row")
        for support in space.on:
            if support not in by_id:
                entry.refuse("on", f"{support!r} is no space", _suggest(support, ids))
            if by_id[support].row != space.row - 1:
                fault = f"{support!r} is in row {by_id[support].row}"
                entry.refuse("on", fault, f"name spaces of row {space.row - 1}, underneath")


def _suggest(word: str, known: Sequence[str]) -> str:
    close = get_close_matches(word, known, n=1)
    choices = f"use one of {', '.join(known)}"
    return f"did you mean {close[0]!r}? {choices}" if close else choices


def _show(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
