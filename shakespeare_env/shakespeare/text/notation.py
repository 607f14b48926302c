"""Writing records as JSON objects of the notation, and reading them back.

The text leaves out the random state and which seat knows an objective of the pile. Impossible
positions are found by `record/checks.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from shakespeare_env.checks import position_entries as read
from shakespeare_env.checks.values import short_repr
from shakespeare_env.core.game import Record
from shakespeare_env.shakespeare import state as s
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.box.facts import ACTS, COLOURS

NAME = "shakespeare"
NEUTRAL = "neutral"
FACES = ("character", "extra")
KINDS = ("costumes", "sets")


def phase_of(game: Record) -> str:
    """Return the phase's name."""
    return s.PHASE_NAMES[game["phase"]]


def to_dict(game: Record) -> dict[str, Any]:
    """Return a record as the notation's JSON object, of plain Python values."""
    players = int(game["players"])
    over = game["phase"] == s.OVER
    return {
        "game": NAME,
        "players": players,
        "strategic_rest": bool(game["strategic_rest"]),
        "day": int(game["day"]),
        "phase": phase_of(game),
        "to_move": None if over else int(game["to_move"]),
        "order": game["order"][:players].tolist(),
        "initiative": _listed(game, "initiative").tolist(),
        "piles": {name: _piles_of(game, act) for act, name in enumerate(ACTS)},
        "display": {"characters": _cards_of(game["shown"]), **_elements_of(game["display"])},
        "bags": _elements_of(game["bag"]),
        "discarded": _elements_of(game["discarded"]),
        "deck": _cards_of(game["deck"]),
        "discarded_characters": _cards_of(game["discarded_cards"]),
        "objective_deck": _named(t.OBJECTIVE_IDS, _listed(game, "objective_deck")),
        "supply_tokens": int(game["supply_tokens"]),
        "pending": _pending_of(game),
        "queue": _listed(game, "queue").tolist(),
        "winners": np.flatnonzero(game["winners"]).tolist() if over else None,
        "seats": [_seat_of(game, seat, over) for seat in range(players)],
    }


def _listed(game: Record, name: str) -> Any:
    """Return the filled part of a list; the field `<name>_len` gives its length."""
    return game[name][: game[f"{name}_len"]]


def _named(names: tuple[str, ...], indices: Iterable[Any]) -> list[str]:
    return [names[index] for index in indices]


def _cards_of(counts: Any) -> list[str]:
    return sorted(np.repeat(t.DECK_IDS, counts).tolist())


def _elements_of(counts: Any) -> dict[str, dict[str, int]]:
    return {
        kind: dict(zip(COLOURS, row, strict=True))
        for kind, row in zip(KINDS, counts.tolist(), strict=True)
    }


def _piles_of(game: Record, act: int) -> dict[str, list[int | str]]:
    spaces = game["disc_space"][act].tolist()
    heights = game["disc_height"][act].tolist()
    discs = sorted((space, heights[disc], disc) for disc, space in enumerate(spaces) if space > 0)
    piles: dict[str, list[int | str]] = {}
    for space, _, disc in discs:
        piles.setdefault(str(space), []).append(NEUTRAL if disc == t.NEUTRAL else disc)
    return piles


def _pending_of(game: Record) -> dict[str, Any] | None:
    phase = game["phase"]
    if phase == s.OBJECTIVE:
        return {"drawn": _named(t.OBJECTIVE_IDS, _listed(game, "drawn"))}
    if phase == s.QUILL:
        # `then` is what goes on after the white quills: an actor's craft, or the part of the game.
        then = _craft_of(game) if game["craft_value"] else s.PART_NAMES[game["part"]]
        return {"quills": int(game["quills"]), "then": then}
    return _craft_of(game) if phase == s.CRAFT else None


def _craft_of(game: Record) -> dict[str, Any]:
    colours = int(game["craft_colours"])
    return {
        "value": int(game["craft_value"]),
        "costumes": bool(game["craft_costumes"]),
        "sets": bool(game["craft_sets"]),
        "colours": [name for colour, name in enumerate(COLOURS) if (colours >> colour) & 1],
        "optional": bool(game["craft_optional"]),
    }


def _seat_of(game: Record, seat: int, over: bool) -> dict[str, Any]:
    kept = int(game["kept"][seat])
    wager = int(game["wager"][seat])
    stage = {
        t.SPACE_IDS[space]: COLOURS[colour]
        for space, colour in enumerate(game["stage"][seat].tolist())
        if colour != s.NOBODY
    }
    objectives = game["objectives"][seat, : game["objectives_len"][seat]]
    members = range(game["troupe_len"][seat])
    entry: dict[str, Any] = {
        "prestige": int(game["prestige"][seat]),
        "pounds": int(game["pounds"][seat]),
        "tokens": int(game["tokens"][seat]),
        "mood": int(game["mood"][seat]),
        "wager": wager if wager > 0 else None,
        "cylinders": int(game["cylinders"][seat]),
        "recruited": bool(game["recruited"][seat]),
        "passed": bool(game["passed"][seat]),
        "kept": None if kept == s.NOBODY else t.CARD_IDS[kept],
        "objectives": _named(t.OBJECTIVE_IDS, objectives),
        "stage": stage,
        "troupe": [_member_of(game, seat, member) for member in members],
    }
    if over:
        entry["unpaid"] = int(game["unpaid"][seat])
    return entry


def _member_of(game: Record, seat: int, member: int) -> dict[str, Any]:
    elements = game["costume_len"][seat, member]
    return {
        "card": t.CARD_IDS[game["card"][seat, member]],
        "face": FACES[game["extra"][seat, member]],
        "costume": _named(COLOURS, game["costume"][seat, member, :elements]),
        "cylinder": bool(game["cylinder"][seat, member]),
        "rest": bool(game["rest"][seat, member]),
    }


# The keys of each object, as an empty record has them.
_EMPTY = np.zeros(1, s.STATE)[0]
_KEYS = tuple(to_dict(_EMPTY))
_CRAFT_KEYS = tuple(_craft_of(_EMPTY))
_SEAT_KEYS = {over: tuple(_seat_of(_EMPTY, 0, over)) for over in (False, True)}
_MEMBER_KEYS = tuple(_member_of(_EMPTY, 0, 0))


def from_dict(position: Mapping[str, Any], game: Record) -> None:
    """Write a text position into a record, keeping its random state.

    Raises:
        PositionError: An entry is missing or impossible; the message names it and the remedy.
    """
    given = read.object_with_keys(position, "position", _KEYS)
    read.choice(given["game"], "game", (NAME,))
    players = _integer(given, "", "players")
    # Fields that the text leaves out or does not fill stay empty.
    for name, field in s.RANGES.items():
        game[name] = s.NOBODY if field.low == s.NOBODY else 0
    game["players"] = players
    game["strategic_rest"] = read.boolean(given["strategic_rest"], "strategic_rest")
    game["day"] = _integer(given, "", "day")
    phase = read.choice(given["phase"], "phase", s.PHASE_NAMES)  # the index of the name
    game["phase"] = phase
    over = phase == s.OVER
    if over and given["to_move"] is not None:
        read.refuse("to_move", f"{short_repr(given['to_move'])} in phase 'over'", "write null")
    if over:
        game["to_move"] = s.NOBODY
    else:
        game["to_move"] = read.integer(given["to_move"], "to_move", 0, players - 1)
    _read_places(given, game, players)
    _read_table(given, game)
    _read_pending(given["pending"], game)
    entries = read.items(given["seats"], "seats", players)
    if len(entries) < players:
        read.refuse("seats", f"{len(entries)} seats", f"describe all {players}")
    for seat, entry in enumerate(entries):
        _read_seat(entry, f"seats[{seat}]", game, seat, over)
    if over:
        game["winners"][read.seats(given["winners"], "winners", players)] = 1
    elif given["winners"] is not None:
        read.refuse("winners", f"{short_repr(given['winners'])} before the end", "write null")


def _integer(
    given: Mapping[str, Any], where: str, key: str, field: str = "", low: int = -s.MOST
) -> int:
    """Return the integer of a key; it must lie in its field's range and not below `low`.

    Errors name the key with `where` before it. The field has the name of the key by default.
    """
    limits = s.RANGES[field or key]
    return read.integer(given[key], f"{where}{key}", max(low, limits.low), limits.high)


def _write_list(game: Record, name: str, values: list[int]) -> None:
    """Write a list into a field, and its length into the field `<name>_len`."""
    game[name][: len(values)] = values
    game[f"{name}_len"] = len(values)


def _read_places(given: Mapping[str, Any], game: Record, players: int) -> None:
    order = read.seats(given["order"], "order", players)
    if len(order) < players:
        read.refuse("order", short_repr(given["order"]), f"name all {players} seats")
    game["order"][:players] = order
    for name in ("initiative", "queue"):
        _write_list(game, name, read.seats(given[name], name, players))
    discs: dict[int | str, int] = {seat: seat for seat in range(players)}
    if players == 1:
        discs[NEUTRAL] = t.NEUTRAL
    piles = read.object_with_keys(given["piles"], "piles", ACTS)
    for act, name in enumerate(ACTS):
        spaces = [str(space) for space in range(1, t.ACT_LENGTH[act] + 1)]
        for space, pile in read.json_object(piles[name], f"piles.{name}").items():
            where = f"piles.{name}.{space}"
            # `read.choice` returns an index from 0, and spaces are numbered from 1.
            number = read.choice(space, where, spaces) + 1
            for height, disc in enumerate(read.items(pile, where, len(discs))):
                is_name = isinstance(disc, int | str) and not isinstance(disc, bool)
                if not is_name or disc not in discs:
                    read.refuse(where, f"{short_repr(disc)} is no disc here", f"use {list(discs)}")
                game["disc_space"][act, discs[disc]] = number
                game["disc_height"][act, discs[disc]] = height
        placed = sum(map(len, piles[name].values()))
        if placed != len(discs) or not game["disc_space"][act, list(discs.values())].all():
            read.refuse(f"piles.{name}", f"{placed} discs", f"place each of {list(discs)} once")


def _read_table(given: Mapping[str, Any], game: Record) -> None:
    display = read.object_with_keys(given["display"], "display", ("characters", *KINDS))
    _read_elements(display, "display", game["display"])
    bags = read.object_with_keys(given["bags"], "bags", KINDS)
    _read_elements(bags, "bags", game["bag"])
    discarded = read.object_with_keys(given["discarded"], "discarded", KINDS)
    _read_elements(discarded, "discarded", game["discarded"])
    _read_cards(display["characters"], "display.characters", game["shown"])
    _read_cards(given["deck"], "deck", game["deck"])
    _read_cards(given["discarded_characters"], "discarded_characters", game["discarded_cards"])
    deck = read.choices(given["objective_deck"], "objective_deck", t.OBJECTIVE_IDS, t.N_OBJECTIVES)
    _write_list(game, "objective_deck", deck)
    game["supply_tokens"] = _integer(given, "", "supply_tokens")


def _read_elements(given: Mapping[str, Any], where: str, counts: Any) -> None:
    for kind, key in enumerate(KINDS):
        counts[kind] = read.counts(given[key], f"{where}.{key}", COLOURS, t.MOST_ELEMENTS)


def _read_cards(names: Any, where: str, counts: Any) -> None:
    cards = read.choices(names, where, t.DECK_IDS, t.N_DECK_CARDS)
    counts[:] = np.bincount(cards, minlength=t.N_DECK)


def _read_pending(pending: Any, game: Record) -> None:
    phase = int(game["phase"])
    if phase == s.CRAFT:
        _read_craft(pending, "pending", game)
    elif phase == s.QUILL:
        given = read.object_with_keys(pending, "pending", ("quills", "then"))
        game["quills"] = _integer(given, "pending.", "quills", low=1)
        if isinstance(given["then"], Mapping):
            _read_craft(given["then"], "pending.then", game)
            game["part"] = s.IN_TURNS
        else:
            parts = s.PARTS_OF_PHASE[phase]
            names = _named(s.PART_NAMES, parts)
            game["part"] = parts[read.choice(given["then"], "pending.then", names)]
    elif phase == s.OBJECTIVE:
        given = read.object_with_keys(pending, "pending", ("drawn",))
        drawn = read.choices(given["drawn"], "pending.drawn", t.OBJECTIVE_IDS, t.QUEEN_OBJECTIVES)
        _write_list(game, "drawn", drawn)
    elif pending is not None:
        read.refuse(
            "pending", f"{short_repr(pending)} in phase {s.PHASE_NAMES[phase]!r}", "write null"
        )
    game["back"] = phase == s.BACK
    game["queen"] = phase == s.CHOOSE_QUEEN
    if phase != s.QUILL:  # every other phase belongs to one part only
        (game["part"],) = s.PARTS_OF_PHASE[phase]


def _read_craft(value: Any, where: str, game: Record) -> None:
    given = read.object_with_keys(value, where, _CRAFT_KEYS)
    game["craft_value"] = _integer(given, f"{where}.", "value", "craft_value", low=1)
    for name in ("costumes", "sets", "optional"):
        game[f"craft_{name}"] = read.boolean(given[name], f"{where}.{name}")
    colours = read.choices(given["colours"], f"{where}.colours", COLOURS, t.N_COLOURS)
    game["craft_colours"] = sum(1 << colour for colour in set(colours))


def _read_seat(value: Any, where: str, game: Record, seat: int, over: bool) -> None:
    given = read.object_with_keys(value, where, _SEAT_KEYS[over])
    amounts = ["prestige", "pounds", "tokens", "mood", "cylinders"]
    if over:
        amounts.append("unpaid")
    for name in amounts:
        game[name][seat] = _integer(given, f"{where}.", name)
    for name in ("recruited", "passed"):
        game[name][seat] = read.boolean(given[name], f"{where}.{name}")
    if given["wager"] is not None:
        game["wager"][seat] = _integer(given, f"{where}.", "wager", low=1)
    if given["kept"] is not None:
        game["kept"][seat] = read.choice(given["kept"], f"{where}.kept", t.CARD_IDS)
    where_objectives = f"{where}.objectives"
    objectives = read.choices(
        given["objectives"], where_objectives, t.OBJECTIVE_IDS, t.N_OBJECTIVES
    )
    game["objectives"][seat, : len(objectives)] = objectives
    game["objectives_len"][seat] = len(objectives)
    for name, colour in read.json_object(given["stage"], f"{where}.stage").items():
        space = read.choice(name, f"{where}.stage", t.SPACE_IDS)
        game["stage"][seat, space] = read.choice(colour, f"{where}.stage.{name}", COLOURS)
        game["stage_filled"][seat] |= 1 << space
        game["yellow"][seat] += game["stage"][seat, space] == t.YELLOW
    members = read.items(given["troupe"], f"{where}.troupe", t.MAX_TROUPE)
    game["troupe_len"][seat] = len(members)
    for member, entry in enumerate(members):
        _read_member(entry, f"{where}.troupe[{member}]", game, seat, member)


def _read_member(value: Any, where: str, game: Record, seat: int, member: int) -> None:
    given = read.object_with_keys(value, where, _MEMBER_KEYS)
    game["card"][seat, member] = read.choice(given["card"], f"{where}.card", t.CARD_IDS)
    game["extra"][seat, member] = read.choice(given["face"], f"{where}.face", FACES)
    for name in ("cylinder", "rest"):
        game[name][seat, member] = read.boolean(given[name], f"{where}.{name}")
    costume = sorted(read.choices(given["costume"], f"{where}.costume", COLOURS, t.N_SLOTS))
    game["costume"][seat, member, : len(costume)] = costume
    game["costume_len"][seat, member] = len(costume)
    game["yellow"][seat] += costume.count(t.YELLOW)
    game["costume_value"][seat, member] = sum(int(t.ELEMENT_VALUE[colour]) for colour in costume)
