"""The games of a server that may be looked back on, found by their addresses."""

from __future__ import annotations

import gzip
import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException

from shakespeare_agents.table.reviewed import Reviewed
from shakespeare_agents.table.site import Site
from shakespeare_env.cli.recorded import Recorded, from_bytes
from shakespeare_env.cli.recorded_folders import from_folder
from shakespeare_env.errors import DatasetError
from shakespeare_env.film import default_title

_MOST_LOADED = 12
_PASTED = "the game given"
"""The name that errors give to lines from a form."""


class Reviews:
    """Finds and remembers games.

    Args:
        site: The site whose games it finds.
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._lock = threading.Lock()
        self._loaded: OrderedDict[tuple[str, ...], Reviewed] = OrderedDict()

    def get(self, place: Mapping[str, Any]) -> Reviewed:
        """A game by the parts of its address.

        Raises:
            HTTPException: there is none, or it is still being played.
        """
        key = tuple(f"{name}/{place[name]}" for name in sorted(place) if name != "ply")
        with self._lock:
            if key in self._loaded:
                self._loaded.move_to_end(key)
                return self._loaded[key]
        try:
            found = self._found(place)
        except (DatasetError, ModuleNotFoundError) as fault:
            raise HTTPException(404, str(fault)) from fault
        with self._lock:
            found = self._loaded.setdefault(key, found)
            while len(self._loaded) > _MOST_LOADED:
                self._loaded.popitem(last=False)
        return found

    def keep(self, owner: str, lines: bytes) -> str:
        """Keep a game given as JSON lines, gzipped or not; its id.

        Raises:
            DatasetError: what is wrong with it.
        """
        reviewed = Reviewed(from_bytes(lines, _PASTED))
        packed = lines if lines.startswith(b"\x1f\x8b") else gzip.compress(lines)
        return self._site.store.keep_record(owner, default_title(reviewed.film), packed)

    def _found(self, place: Mapping[str, Any]) -> Reviewed:
        if "folder" in place:
            folders = self._site.settings.folders
            if place["folder"] >= len(folders):
                raise HTTPException(404, "This server watches no such folder.")
            return Reviewed(from_folder(folders[place["folder"]], place["game"]))
        if "record" in place:
            record = self._site.store.record(place["record"])
            if record is None:
                raise HTTPException(404, "There is no such game.")
            return Reviewed(from_bytes(record[1], _PASTED), record[0])
        table = self._site.tables.get(place["table"])
        if table is None:
            raise HTTPException(404, "There is no such table.")
        now = table.now()
        if now.position.to_move is not None:
            # A review shows every secret.
            raise HTTPException(
                403, "This game is still being played; it is open to review once it is over."
            )
        return Reviewed(Recorded(now.positions, now.moves, now.names))
