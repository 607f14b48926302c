"""What pages ask about learning: the guide, and the example game that pictures are taken from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from shakespeare_agents.registry import make
from shakespeare_agents.session import choose
from shakespeare_agents.table.drawn_board import DrawnPanel, drawn_panels
from shakespeare_agents.table.learning.guide import Guidance, Guide
from shakespeare_agents.table.learning.lessons import SEAT, Lesson, holds, lesson, topic_text, view
from shakespeare_agents.table.live_table import Snapshot, first_snapshot
from shakespeare_agents.table.recent import Recent
from shakespeare_agents.table.viewer import Viewer
from shakespeare_env.core import registry


class LearningDesk:
    """What pages ask about learning."""

    def __init__(self) -> None:
        self.guide = Guide()
        self._examples: Recent[Snapshot] = Recent()

    @property
    def games(self) -> list[str]:
        """The games that are taught."""
        return [name for name in registry.names() if lesson(name) is not None]

    def lesson(self, game: str) -> Lesson | None:
        """How a game is taught."""
        return lesson(game)

    def is_guided(self, now: Snapshot, viewer: Viewer) -> bool:
        """Whether a viewer of a table is guided."""
        found = lesson(now.plan.game)
        return found is not None and found.plan == now.plan and viewer.seats == (SEAT,)

    def says(self, now: Snapshot, viewer: Viewer) -> Guidance | None:
        """What the guide says to a viewer of a guided table; None while others decide."""
        return self.guide.says(now, SEAT) if self.is_guided(now, viewer) else None

    def example(self, game: str) -> Snapshot:
        """The guided game as it goes if every suggestion is followed."""
        return self._examples.get(game, lambda: self._played(game))

    def pictures(self, game: str) -> list[list[DrawnPanel]]:
        """The pictures of each section of the page "How to play": panels, as far as shown."""
        taught, now = lesson(game), self.example(game)
        assert taught is not None
        own = [one for one in now.positions if one.to_move == SEAT]
        views = [view(one, SEAT) for one in own]
        found = []
        for section in taught.sections:
            wanted = section.picture
            fits = (n for n, seen in enumerate(views) if holds(wanted.condition, seen))
            place = next(fits, len(views) - 1)
            panels = drawn_panels(own[place], SEAT, now.plan.names)
            found.append([part for panel in panels if (part := _part(panel, wanted.pieces))])
        return found

    def topics(self, game: str) -> Mapping[str, str]:
        """What cards, moves and things of a game do, at any time."""
        first = self.example(game).positions[0]
        known = first.game.presentation.topics(first.seen_by(SEAT))
        return {name: topic_text(known, name) for name in known}

    def _played(self, game: str) -> Snapshot:
        taught = lesson(game)
        assert taught is not None
        now, number = first_snapshot(taught.plan), 0
        rules = now.position.game
        agents = {one.agent: make(one.agent, rules) for one in taught.plan.seats if one.agent}
        while not now.is_over:
            seat, seed = now.seat_to_move, taught.plan.seed_of_agents
            assert seat is not None
            if seat.agent is None:
                move = self.guide.suggested(now.position, seed, number)
            else:
                move = choose(agents[seat.agent], now.position, seed, number)
            now, number = now.pushed(move), number + 1
        return now


def _part(panel: DrawnPanel, wanted: Collection[str]) -> DrawnPanel | None:
    """A panel with some of its pieces; None with none. A wanted name may name the whole panel."""
    kept = {
        name: drawn
        for name, drawn in panel.pieces.items()
        if panel.name in wanted or any(name == one or name.startswith(f"{one}-") for one in wanted)
    }
    return replace(panel, pieces=kept) if kept else None
