"""The box desk: owners compare every printed value with their copy and save a box of their own."""

from __future__ import annotations

import shlex
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shakespeare_agents.findings.worth import worth_knowing
from shakespeare_agents.table.box_desk.desk import LONGEST_FILE, OWN, Entered, entered, opened
from shakespeare_agents.table.box_desk.document import item_of
from shakespeare_agents.table.box_desk.facts import (
    Fact,
    bundled_box,
    meanings_of,
    missing_from,
    name_of,
    sections_of,
)
from shakespeare_agents.table.box_desk.saving import save, state_of
from shakespeare_agents.table.site import Fields, Site
from shakespeare_env.checks.box_files import LARGEST_BOX
from shakespeare_env.checks.limits import read_regular
from shakespeare_env.core import registry
from shakespeare_env.errors import BoxError

_FIELDS = 2000
_FIRST = 5
"""What an owner with five minutes looks up."""
_VALUE, _CONFIRMED, _TAKEN, _ADDED = "value.", "confirmed.", "taken.", "added."
"""What the names of fields begin with; names of entries, items or lists follow."""


@dataclass
class _Work:
    """A box on the desk.

    Attributes:
        game: Its name.
        box: The values so far.
        said: What stands in the fields, by entries' names; others show their values.
        confirmed: Names of entries that the owner has ticked.
        taken: Names of items that the owner's copy lacks.
        added: Ids, as written, of further items that it has, by names of lists.
        source: What is said of where the owner's values come from.
        seen: The state of the server's box file as this page knows it.
        message: What was done.
    """

    game: str
    box: Entered
    said: dict[str, str] = field(default_factory=dict)
    confirmed: frozenset[str] = frozenset()
    taken: frozenset[str] = frozenset()
    added: dict[str, str] = field(default_factory=dict)
    source: str = OWN
    seen: str = ""
    message: str = ""

    def text_of(self, fact: Fact) -> str:
        """What stands in an entry's field."""
        return self.said.get(fact.name, fact.text)


def routes(site: Site) -> list[Route]:
    """The desk's pages."""
    return [
        site.get("/box", _games),
        site.get("/box/{game}", _show),
        site.post("/box/{game}", _take, _FIELDS, LONGEST_FILE, files=1),
    ]


def _games(site: Site, request: Request) -> Response:
    """Which boxes there are, and how much of them is not printed in the rules."""
    boxes = []
    for game in filter(registry.has_box, registry.names()):
        facts = opened(game, bundled_box(game)).facts
        boxes.append((game, len(facts), Counter(fact.kind for fact in facts)))
    return site.page(request, "box_games.html", boxes=boxes)


def _show(site: Site, request: Request) -> Response:
    """The box that an owner goes on with."""
    return _page(site, request, _begun(site, _game(request)))


def _game(request: Request) -> str:
    name: str = request.path_params["game"]
    if name not in registry.names() or not registry.has_box(name):
        raise HTTPException(404, f"There is no box of a game {name[:40]!r} here.")
    return name


def _begun(site: Site, game: str) -> _Work:
    """The server's box file if it is one of this game, or else the box in force."""
    path, fault, seen = site.settings.box_file, "", ""
    sources = [registry.box_in_force(game)]
    if path is not None:
        try:
            seen = state_of(path)
            sources = [path, *sources] if path.exists() else sources
        except BoxError as error:
            fault = str(error)
    for source in sources:
        try:
            text = read_regular(source, LARGEST_BOX).decode()
            return _Work(game, opened(game, text), seen=seen, message=fault)
        except (OSError, ValueError) as error:
            # A file that cannot be read is not overwritten either.
            seen = "" if source == path else seen
            fault = f"{source} is no box of this game: {error}"
    return _Work(game, opened(game, bundled_box(game)), seen=seen, message=fault)


def _take(site: Site, request: Request, said: Fields, content: bytes) -> Response:
    """Look at what was entered; and save it or give it back as a file, if that is asked for."""
    game = _game(request)
    work = _entered(game, said, content)
    action, path = said.get("action", ""), site.settings.box_file
    if work.box.is_good and action == "download":
        headers = {"Content-Disposition": f'attachment; filename="{game}_box.toml"'}
        return Response(work.box.text, media_type="application/toml", headers=headers)
    if work.box.is_good and action == "save" and path is not None and work.seen:
        try:
            work.seen = save(path, work.box.text, work.seen)
            work.message = f"Saved to {path}."
        except BoxError as error:
            work.box.fault = str(error)
    return _page(site, request, work)


def _entered(game: str, said: Fields, content: bytes) -> _Work:
    """What was sent, tried; nothing that was written into a field is lost by a fault."""
    text = said.get("text", "").replace("\r\n", "\n")
    work = _Work(
        game,
        Entered(text),
        said=_under(_VALUE, said),
        confirmed=frozenset(_under(_CONFIRMED, said)),
        taken=frozenset(_under(_TAKEN, said)),
        added=_under(_ADDED, said),
        source=said.get("source", OWN),
        seen=said.get("seen", ""),
    )
    try:
        if said.get("action") == "open":
            box = opened(game, content.decode("utf-8", "replace"))
            return _Work(game, box, seen=work.seen, message="The file is open.")
        added = {name: text.replace(",", " ").split() for name, text in work.added.items()}
        work.box = entered(
            game, text, work.said, work.confirmed, work.source, added=added, taken=work.taken
        )
    except BoxError as error:
        work.box = _opened_again(game, text)
        work.box.fault = str(error)
    if work.box.is_good:
        work.said, work.added = {}, {}
        work.confirmed = work.taken = frozenset()
        work.message = "All values can be used."
    return work


def _under(start: str, said: Fields) -> dict[str, str]:
    return {key[len(start) :]: said[key] for key in said if key.startswith(start)}


def _opened_again(game: str, text: str) -> Entered:
    try:
        return opened(game, text)
    except BoxError:
        return opened(game, bundled_box(game))


def _section(work: _Work, title: str, groups: list[tuple[str, list[Fact]]]) -> dict[str, Any]:
    """A section for its template: its groups, those of items with their names, and its lists."""
    items = [(heading, item_of(group[0].wanted.keys), group) for heading, group in groups]
    lists = sorted({name_of(item[:-1]) for _, item, _ in items if item})
    taken = [item for _, item, _ in items if item and name_of(item) in work.taken]
    return {
        "title": title,
        "groups": [(heading, name_of(item), group) for heading, item, group in items],
        "lists": lists,
        "is_changed": bool(taken) or any(work.added.get(name) for name in lists),
        "facts": [fact for _, group in groups for fact in group],
    }


def _first(game: str, text: str, facts: list[Fact]) -> list[tuple[str, str, str, Fact]]:
    """What to look up first: what it stands on, what of it, its share, and its first field."""
    box = tomllib.loads(text)
    found: list[tuple[str, str, str, Fact]] = []
    for one in worth_knowing(game):
        there = [fact for fact in facts if one.holds(box, fact.wanted.keys)]
        if there and len(found) < _FIRST:
            what = there[0].label if len(one.entries) == 1 else "all of it"
            found.append((one.name, what, f"{100 * one.share:.0f} %", there[0]))
    return found


def _page(site: Site, request: Request, work: _Work) -> Response:
    facts, variable = work.box.facts, f"{work.game.upper()}_BOX"
    path = site.settings.box_file
    context: dict[str, Any] = {
        "work": work,
        "sections": [_section(work, title, groups) for title, groups in sections_of(facts)],
        "kinds": Counter(fact.kind for fact in facts),
        "meanings": meanings_of(work.box.text),
        "differing": [fact for fact in facts if fact.differs],
        "first": _first(work.game, work.box.text, facts),
        "missing": missing_from(work.game, tomllib.loads(work.box.text)),
        "names": {fact.name: fact for fact in facts},
        "in_force": registry.box_in_force(work.game),
        "path": path,
        "command": f"{variable}={shlex.quote(str(path or f'{work.game}_box.toml'))}",
    }
    return site.page(request, "box.html", 200 if work.box.is_good else 422, **context)
