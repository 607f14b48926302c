"""Checks across the entries of a box file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from shakespeare_env.checks.box_entries import Entry, show, suggest
from shakespeare_env.shakespeare.box.facts import ACTS, Box, Character, Objective, Space

_DECK = 30
_MOST_COMBINATIONS = 1000
_STARTING_KINDS = ("actor", "actor", "handyman", "queen")
_STARTING_REMEDY = "list two actors, a handyman and the queen"


def card_id(entry: Entry) -> str:
    """A character's id; extra1, extra2, ... name extras."""
    own = entry.identifier("id")
    if re.fullmatch("extra[0-9]+", own):
        entry.refuse("id", f"{own!r} is how moves name an extra", "choose another id")
    return own


def check_list(entry: Entry, key: str, ids: Sequence[str], low: int, high: int) -> None:
    """Refuse shared ids and wrong counts."""
    for own in ids:
        if ids.count(own) > 1:
            entry.refuse(f"{key} {own}", f"the id {own!r} is used twice", "rename one of the two")
    if not low <= len(ids) <= high:
        entry.refuse(key, f"{len(ids)} of them", f"give {low} to {high}")


def check_days(rehearsal: Entry, first: int, last: int) -> None:
    """Refuse rehearsal days that do not rise (Rules R)."""
    if first >= last:
        rehearsal.refuse("days", f"day {first} is not before day {last}", "let the days rise")


def check_act_lengths(acts: Entry, box: Box) -> None:
    """Refuse acts too short for thresholds or neutral discs (R2, V2)."""
    neutral = max(box.neutral_spaces)
    steps = (box.rehearsals.act_1_pounds, (), box.rehearsals.act_3_prestige)
    for name, length, paid in zip(ACTS, box.act_lengths, steps, strict=True):
        shortest = max(neutral, *(space + 1 for space, _ in paid[:-1]), 1)
        if length < shortest:
            fault = f"Act {name} has {length} spaces, shorter than its thresholds"
            acts.refuse("length", fault, f"give it at least {shortest}")


def check_bags(bag: Entry, box: Box) -> None:
    """Refuse bags too small for the last display (Rules S4, U2)."""
    days = box.rehearsals.days[-1]
    for seats, kinds in box.bags.items():
        need = days * 3 * seats
        for kind, elements in kinds.items():
            found = sum(elements.values())
            if found < need:
                fault = f"{found} elements, but {days} days draw {need}"
                bag.refuse(f"{kind}.{seats}", fault, f"add at least {need - found}")


def check_starting(board: Entry, starting: Sequence[str], characters: Sequence[Entry]) -> None:
    """Refuse unknown or miscounted starting characters."""
    if len(starting) != len(_STARTING_KINDS):
        board.refuse("starting", f"{len(starting)} characters", _STARTING_REMEDY)
    ids = tuple(str(character.data.get("id")) for character in characters)
    for own in starting:
        if own not in ids:
            remedy = f"add its [[character]] table; {suggest(own, ids)}"
            board.refuse("starting", f"{own!r} is no character", remedy)


def check_starting_kinds(board: Entry, characters: Sequence[Character]) -> None:
    """Refuse starting characters of the wrong kinds (Rules S2)."""
    kinds = sorted(character.kind for character in characters)
    if kinds != sorted(_STARTING_KINDS):
        fault = f"{', '.join(kinds)} are not the four of a board"
        board.refuse("starting", fault, _STARTING_REMEDY)


def check_deck(root: Entry, characters: Sequence[Character]) -> None:
    """Refuse duplicate actors (Rules T12) and decks not of 30 (Rules S5)."""
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
    """Refuse objectives without steps or with falling prestige."""
    if not points:
        objective.refuse("points", "no step", "write e.g. points = { 4 = 2, 5 = 3 }")
    for (low, less), (high, more) in pairwise(points):
        if more < less:
            fault = f"{more} prestige from {high}, but {less} from {low}"
            objective.refuse(f"points.{high}", fault, "let prestige rise with the threshold")


def check_sacrifices(root: Entry, objectives: Sequence[Objective]) -> None:
    """Refuse more combinations of pounds to give up than can be tried (Rules F1)."""
    steps = 1 + max(len(objective.points) for objective in objectives)
    of_pounds = sum(objective.metric == "sacrifice" for objective in objectives)
    if steps**of_pounds > _MOST_COMBINATIONS:
        fault = f"{of_pounds} objectives of pounds, and {steps - 1} steps"
        remedy = "have fewer of them, or fewer steps: every combination is tried at the end"
        root.refuse("[[objective]]", fault, remedy)


def check_stage(entries: Mapping[str, Entry], spaces: Sequence[Space]) -> None:
    """Refuse unpaired mirrors and supports not directly underneath (Rules T13)."""
    by_id = {space.id: space for space in spaces}
    ids = tuple(by_id)
    for space in spaces:
        entry = entries[space.id]
        if space.mirror not in by_id:
            entry.refuse("mirror", f"{space.mirror!r} is no space", suggest(space.mirror, ids))
        mirror = by_id[space.mirror]
        if mirror.mirror != space.id:
            fault = f"{mirror.id!r}, but the mirror of {mirror.id} is {mirror.mirror!r}"
            entry.refuse("mirror", fault, f"let {space.id} and {mirror.id} name each other")
        if mirror.row != space.row:
            fault = f"{mirror.id!r} is in row {mirror.row}, not {space.row}"
            entry.refuse("mirror", fault, "pair spaces of one row")
        if space.row == 1 and space.on:
            fault = f"{show(list(space.on))}, but nothing is underneath row 1"
            entry.refuse("on", fault, "remove on, or correct row")
        for support in space.on:
            if support not in by_id:
                entry.refuse("on", f"{support!r} is no space", suggest(support, ids))
            if by_id[support].row != space.row - 1:
                fault = f"{support!r} is in row {by_id[support].row}"
                entry.refuse("on", fault, f"name spaces of row {space.row - 1}, underneath")
