"""Review: a finished game, position by position, with what an agent thinks of it."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from sse_starlette import EventSourceResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from shakespeare_env.checks.values import short_name
from shakespeare_env.cli.recorded import Recorded, from_bytes
from shakespeare_env.drawing.raster import png
from shakespeare_env.errors import DatasetError
from shakespeare_env.film import SCRIPTS, STYLES, Film, Forecasts, page_of, player
from shakespeare_env.film.figures import chances_graph, mistakes_list, score_graph, summary
from shakespeare_table.analysis import Line, Verdict, of_all_seats, refined
from shakespeare_table.browser.lobby import PERSON, agents_for, allowed_agent, same_seats, strongest
from shakespeare_table.browser.settings import MOST_BYTES
from shakespeare_table.browser.site import (
    Fields,
    Site,
    number_of,
    owner_of,
    remembering,
    viewer_of,
    while_waited_for,
)
from shakespeare_table.browser.store import TablePlan
from shakespeare_table.browser.thinking import (
    Analysts,
    ThinkerError,
    forecast,
    line_from,
    verdict_on,
)

_LATEST = 20
_OPEN = 12
"""Games kept in memory."""
_AT_ONCE = 0.3
"""Seconds of judging before progress is reported."""
_EVERY = 1.5
"""Seconds between graphs while verdicts come in."""
_PASTED = "the game given"
"""The name that errors give to lines from a form."""


class Reviewed:
    """A game that may be looked back on: all of it is open.

    Args:
        game: What was played.
        title: The title of its page; by default the game and its players.
        plan: The table it was played at, if it was played here.
    """

    def __init__(self, game: Recorded, title: str = "", plan: TablePlan | None = None) -> None:
        self.plan = plan
        # Each position is made once, and travels to the agents by itself.
        self.game = replace(game, positions=list(game.positions))
        self.film = Film(self.game.positions, game.moves, game.names or (), ending=game.forfeit)
        self.title = title or self.film.title()
        self.judgings: dict[str, Judging] = {}

    @cached_property
    def data(self) -> bytes:
        """What `film.js` plays, gzipped."""
        return gzip.compress(self.film.data().encode(), 6)


class Judging:
    """What an agent has found in a game so far; it goes on while somebody asks.

    Args:
        game: What was played.
        name: What pages call the agent.
        agent: Its name, as `make` takes it.
        analysts: Where it thinks.
    """

    def __init__(self, game: Recorded, name: str, agent: str, analysts: Analysts) -> None:
        self._positions, self._moves = game.positions, game.moves
        self.name, self.agent = name, agent
        self._analysts = analysts
        self._found: list[Verdict] = []
        self._first: Forecasts | None = None

    async def begin(self, viewer: str) -> None:
        """Forecast the game, before all else."""
        if self._first is None:
            job = partial(forecast, self.agent, self._positions)
            self._first = await self._analysts.answer(job, viewer)

    async def more(self, known: int, viewer: str) -> int:
        """Judge until more than `known` decisions are judged, or all; how many are."""
        began = time.monotonic()
        while (number := len(self._found)) < len(self._moves):
            if number > known and time.monotonic() - began > _AT_ONCE:
                break
            decision = self._positions[number], self._moves[number], number
            job = partial(verdict_on, self.agent, *decision)
            verdict = await self._analysts.answer(job, viewer)
            if number == len(self._found):  # nobody who listens, too, has added it
                self._found.append(verdict)
        return len(self._found)

    def forecasts(self) -> Forecasts:
        """Every seat's chances over the game, as well as they are known."""
        return of_all_seats(self._by_movers(), self._positions)

    def judged(self) -> list[Verdict]:
        """The decisions judged."""
        return list(self._found)

    async def line(self, number: int, viewer: str) -> Line:
        """The best line from a position on; its forecasts go on from those of the game."""
        await self.begin(viewer)
        job = partial(line_from, self.agent, self._positions[number], number)
        line: Line = await self._analysts.answer(job, viewer)
        return await run_in_threadpool(self._joined, number, line)

    def _joined(self, number: int, line: Line) -> Line:
        game, own = self._by_movers(), line.forecasts
        whole = Forecasts(
            np.concatenate([game.chances[:number], own.chances]),
            np.concatenate([game.scores[:number], own.scores]),
            self.name,
        )
        seen = of_all_seats(whole, [*self._positions[:number], *line.course.positions])
        own = Forecasts(seen.chances[number:], seen.scores[number:], self.name)
        return Line(line.course, own)

    def _by_movers(self) -> Forecasts:
        """What each seat to move expected, refined where its decision is judged."""
        assert self._first is not None
        return refined(self._first, self.judged(), self.name)


_Shown = Callable[[Site, Request, Reviewed, str], Response]


def routes(site: Site) -> list[Route]:
    """The pages of reviews."""

    @lru_cache(_OPEN)
    def reviewed(kind: str, game_id: str) -> Reviewed:
        """A game by the parts of its address; HTTPException if there is none, or it goes on."""
        if kind == "record" and (record := site.store.record(game_id)) is not None:
            return Reviewed(from_bytes(record[1], _PASTED), record[0])
        table = site.tables.get(game_id) if kind == "table" else None
        if table is None:
            raise HTTPException(404, "There is no such game.")
        now = table.now()
        if not now.is_over:  # a review shows every secret
            raise HTTPException(
                403, "This game is still being played; it is open to review once it is over."
            )
        return Reviewed(Recorded(now.positions, now.moves, now.names), plan=now.plan)

    def found(request: Request) -> tuple[Reviewed, str]:
        kind, game_id = request.path_params["kind"], request.path_params["id"]
        return reviewed(kind, game_id), f"/review/{kind}/{game_id}"

    def of_game(path: str, show: _Shown) -> Route:
        """The route to a page of every game."""

        def page(site: Site, request: Request) -> Response:
            return show(site, request, *found(request))

        return site.get(f"/review/{{kind}}/{{id}}{path}", page)

    async def analysis(request: Request) -> Response:
        """Server-sent events: graphs and verdicts, while somebody listens."""
        game, address = await run_in_threadpool(found, request)
        judging = await run_in_threadpool(_judging, site, request, game)
        events = _judged_events(site, game, judging, f"{address}/", viewer_of(request))
        return EventSourceResponse(events)

    async def line(request: Request) -> Response:
        """The best line from a position on, as a film for the script, with what the bar shows."""
        game, _ = await run_in_threadpool(found, request)
        ply = _ply(request, game)
        _check_goes_on(game, ply)
        judging = await run_in_threadpool(_judging, site, request, game)
        try:
            best = await while_waited_for(request, judging.line(ply, viewer_of(request)))
        except ThinkerError as fault:
            raise HTTPException(409, f"{judging.name} has failed: {fault}") from fault
        return await run_in_threadpool(_line, game, judging, ply, best)

    return [
        site.get("/review", _start),
        site.post("/review", _bring),
        *(Route(f"/film/{file.name}", partial(_file, file)) for file in (*SCRIPTS, *STYLES)),
        of_game("", _show),
        of_game("/film", _film),
        of_game("/page", _share),
        Route("/review/{kind}/{id}/analysis", analysis),
        of_game("/{ply}", _show),
        of_game("/{ply}/on", _play_on),
        Route("/review/{kind}/{id}/{ply}/line", line),
        of_game("/{ply}/picture.png", _picture),
    ]


def _file(file: Path, _request: Request) -> Response:
    return FileResponse(file)


def _start(site: Site, request: Request, fault: str = "") -> Response:
    """Games to choose from, and a form for others."""
    owner = owner_of(request)
    return site.page(
        request,
        "reviews.html",
        422 if fault else 200,
        fault=fault,
        tables=[one for one in site.store.tables_of(owner, _LATEST) if one.over],
        records=site.store.records_of(owner, _LATEST),
        most=MOST_BYTES >> 20,
    )


def _bring(site: Site, request: Request, _said: Fields, file: bytes) -> Response:
    """Keep a game from elsewhere and show it."""
    try:
        game = Reviewed(from_bytes(file, _PASTED))
    except DatasetError as fault:
        return _start(site, request, str(fault))
    packed = file if file.startswith(b"\x1f\x8b") else gzip.compress(file)
    record_id = site.store.keep_record(owner_of(request), game.title, packed)
    return remembering(request, RedirectResponse(f"/review/record/{record_id}", 303))


def _judging(site: Site, request: Request, reviewed: Reviewed) -> Judging:
    """What the agent says that is asked for, by default the game's own; TableError if it cannot."""
    game = reviewed.film.game
    name = request.query_params.get("agent") or strongest(game)
    agent = allowed_agent(name, game.name, site.settings)
    return reviewed.judgings.setdefault(name, Judging(reviewed.game, name, agent, site.analysts))


def _show(site: Site, request: Request, reviewed: Reviewed, address: str) -> Response:
    """A game at a position."""
    at, film = _ply(request, reviewed), reviewed.film
    name = _judging(site, request, reviewed).name
    link = f"{address}/"
    extras = site.fragment(
        "review_extras.html",
        address=address,
        agent=name,
        offered=agents_for(film.game.name, site.settings),
        scores=score_graph(film, link),
        at=at,
    )
    shown = player(film, extras, source=f"{link}film", link=link, at=at, board=film.board(at))
    return site.page(
        request, "review.html", title=reviewed.title, player=shown, address=address, agent=name
    )


def _film(_site: Site, _request: Request, reviewed: Reviewed, _address: str) -> Response:
    """Every position, for the script."""
    headers = {"Content-Encoding": "gzip", "Cache-Control": "private, max-age=3600"}
    return Response(reviewed.data, media_type="application/json", headers=headers)


def _share(site: Site, request: Request, reviewed: Reviewed, _address: str) -> Response:
    """The game as one HTML file, with what the agent asked for has found so far."""
    judging = _judging(site, request, reviewed)
    judged = judging.judged()
    forecasts = judging.forecasts() if judged else None
    page = page_of(reviewed.film, forecasts, judged, reviewed.title)
    name = f"{reviewed.film.game.name}-game.html"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(page, media_type="text/html", headers=headers)


def _line(reviewed: Reviewed, judging: Judging, ply: int, line: Line) -> Response:
    course, forecasts = line.course, line.forecasts
    film = json.loads(Film(course.positions, course.moves, reviewed.game.names or ()).data())
    values = forecasts.scores if reviewed.film.players == 1 else 100 * forecasts.chances
    title = f"Position {ply}: {judging.name} would go on as follows."
    return JSONResponse({**film, "title": title, "values": values.round(1).tolist()})


def _picture(_site: Site, request: Request, reviewed: Reviewed, _address: str) -> Response:
    """A position as a picture."""
    return Response(png(reviewed.film.picture(_ply(request, reviewed))), media_type="image/png")


def _play_on(site: Site, request: Request, reviewed: Reviewed, _address: str) -> Response:
    """The lobby's form for a table that begins here."""
    ply = _ply(request, reviewed)
    _check_goes_on(reviewed, ply)
    position = reviewed.game.positions[ply]
    if reviewed.plan is not None:
        fields = same_seats(reviewed.plan, site.settings)
    else:  # a name that is no agent's is a person's
        fields, offered = (
            {"game": position.game.name},
            agents_for(position.game.name, site.settings),
        )
        for seat, name in enumerate(reviewed.game.names or ()):
            who = name if name in offered else PERSON
            fields |= {f"seat{seat}": who, f"name{seat}": short_name(name)}
    fields["position"] = json.dumps(position.to_dict(), separators=(",", ":"))
    return RedirectResponse(f"/?{urlencode(fields)}", 303)


def _check_goes_on(reviewed: Reviewed, ply: int) -> None:
    if reviewed.game.positions[ply].to_move is None:
        raise HTTPException(409, "The game is over here; choose an earlier position.")


def _ply(request: Request, reviewed: Reviewed) -> int:
    ply, last = number_of(request.path_params.get("ply", "0")), len(reviewed.film)
    if ply is None or ply > last:
        raise HTTPException(404, f"There is no such position; they are numbered 0 to {last}.")
    return ply


async def _judged_events(
    site: Site, reviewed: Reviewed, found: Judging, link: str, viewer: str
) -> AsyncIterator[dict[str, str]]:
    film, last = reviewed.film, len(reviewed.film)

    def figures() -> list[dict[str, str]]:
        judged = found.judged()
        parts = {
            "graph": chances_graph(film, found.forecasts(), judged, link),
            "mistakes": mistakes_list(film, judged, link),
            "summary": summary(film, judged),
        }
        return [{"event": event, "data": data} for event, data in parts.items()]

    def progress(known: int) -> dict[str, str]:
        text = site.fragment("review_progress.html", known=known, last=last, name=found.name)
        return {"event": "progress", "data": text}

    try:
        await found.begin(viewer)
        for part in await run_in_threadpool(figures):
            yield part
        known, drawn_at = -1, time.monotonic()
        while known < (latest := await found.more(known, viewer)):
            known = latest
            yield progress(known)
            if time.monotonic() - drawn_at > _EVERY:
                for part in await run_in_threadpool(figures):
                    yield part
                drawn_at = time.monotonic()
        for part in await run_in_threadpool(figures):
            yield part
        yield progress(last)
    except ThinkerError as fault:
        text = site.fragment("failed.html", name=found.name, fault=fault)
        yield {"event": "progress", "data": text}
    yield {"event": "done", "data": ""}
