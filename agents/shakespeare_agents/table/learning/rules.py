"""The numbered rules of a game in our words, and links to them."""

from __future__ import annotations

import re
from functools import cache

from markupsafe import Markup, escape

from shakespeare_env.core import registry

_ROW = re.compile(r"\| (?P<rule>[A-Z]+\d+\w?)(?P<ruling> Ruling)? \| (?P<text>[^|]+) \|")
_LINK = re.compile(r"\s*\[([A-Z]+\d+\w?)\]")
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
    """Text as HTML, and after it links to what each rule in brackets says."""
    known = {number for number, _, _ in rules_of(game)}
    links: list[str] = []

    def noted(found: re.Match[str]) -> str:
        if found[1] not in known:
            return found[0]
        address, title = f"/rules/{game}#{found[1]}", f"Rule {found[1]}"
        links.append(f'<a class="rule" href="{address}" title="{title}">{found[1]}</a>')
        return ""

    plain = _LINK.sub(noted, str(escape(text)))
    return Markup(" ".join([plain.strip(), *dict.fromkeys(links)]))
