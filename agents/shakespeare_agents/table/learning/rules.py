"""The numbered rules of a game in our words, and links to them."""

from __future__ import annotations

import re
from functools import cache

from markupsafe import Markup, escape

from shakespeare_env.core import registry

_ROW = re.compile(r"\| (?P<rule>[A-Z]+\d+\w?)(?P<ruling> Ruling)? \| (?P<text>[^|]+) \|")
_LINK = re.compile(r"\[([A-Z]+\d+\w?)\]")
_CODE = re.compile(r"`([^`]*)`")


@cache
def rules_of(game: str) -> list[tuple[str, str, bool]]:
    """(number, what it says, whether it settles what the rule book leaves open), in order.

    They are read from the table of the game's `RULES.md`; empty if it has none.
    """
    if not registry.has_box(game) or not (file := registry.folder(game) / "RULES.md").is_file():
        return []
    rows = map(_ROW.match, file.read_text(encoding="utf-8").splitlines())
    return [
        (row["rule"], _CODE.sub(r"\1", row["text"]), row["ruling"] is not None)
        for row in rows
        if row is not None
    ]


def with_links(text: str, game: str) -> Markup:
    """Text as HTML, in which each rule in brackets leads to what it says."""
    known = {number for number, _, _ in rules_of(game)}

    def link(found: re.Match[str]) -> str:
        if found[1] not in known:
            return found[0]
        number = found[1]
        return f'<a class="rule" href="/rules/{game}#{number}" title="Rule {number}">{number}</a>'

    return Markup(_LINK.sub(link, str(escape(text))))
