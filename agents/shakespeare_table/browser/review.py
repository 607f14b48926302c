"""Review: a finished game, position by position, with what an agent thinks of it."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any
from urllib.parse import urlencode

import numpy as np
from sse_starlette import EventSourceResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from shakespeare_env.checks.values import number_of, short_name
from shakespeare_env.drawing.raster import png
from shakespeare_env.errors import DatasetError
from shakespeare_env.film import SCRIPTS, STYLES, Film, film_page, player
from shakespeare_env.film.figures import score_graph
from shakespeare_env.play.course import Course
from shakespeare_table.analysis.figures import (
    Forecasts,
    chances_graph,
    judged_page,
    mistakes_list,
    summary,
)
from shakespeare_table.analysis.judging import (
    Verdict,
    best_line,
    forecasts_of,
    of_all_seats,
    verdict_on,
)
from shakespeare_table.browser.lobby import PERSON, same_seats
from shakespeare_table.browser.settings import MOST_BYTES, strongest
from shakespeare_table.browser.site import (
    Fields,
    Site,
    owner_of,
    remembering,
    viewer_of,
    while_waited_for,
)
from shakespeare_table.browser.store import TablePlan
from shakespeare_table.browser.thinking import Analysts, ThinkerError, analyse
from shakespeare_table.recorded import from_bytes, with_public_names

_LATEST = 20
_OPEN = 12  # games kept in memory
_AT_ONCE = 0.3  # seconds of judging before progress is reported
_EVERY = 1.5  # seconds between graphs while verdicts come in
_FEWER_PLAYOUTS = 8  # playouts of a position for an early graph where no network forecasts
_PASTED = "the game given"  # the name that errors give to lines from a form


class Reviewed:
    """A game that may be looked back on: all of it is open; `plan` is of a table played here."""

    def __init__(self, game: Course, title: str = "", plan: TablePlan | None = None) -> None:
        self.plan = plan
        if plan is None:
            game = with_public_names(game)
        # Each position is made once, and travels to the agents by itself.
        self.game = replace(game, positions=list(game.positions))
        self.film = Film(self.game)
        self.title = title or self.film.title()
        self.judgings: dict[str, Judging] = {}

    @cached_property
    def data(self) -> bytes:
        """What `film.js` plays, gzipped."""
        return gzip.compress(self.film.data().encode(), 6)


class Judging:
    """What an agent has found in a game so far; it goes on while somebody asks.

    Pages call the agent `name`, `make` takes it as `agent`.
    """

    def __init__(self, game: Course, name: str, agent: str, analysts: Analysts) -> None:
        self._positions, self._moves = game.positions, game.moves
        self.name, self.agent = name, agent
        self._analysts = analysts
        self._lock = asyncio.Lock()
        self.judged: list[Verdict] = []
        self._first: Forecasts | None = None

    async def begin(self, viewer: str) -> None:
        """Forecast the game, before all else."""
        async with self._lock:
            if self._first is None:
                whole = partial(forecasts_of, self._positions, playouts=_FEWER_PLAYOUTS)
                self._first = await self._ask(whole, viewer)

    async def more(self, known: int, viewer: str) -> int:
        """Judge until more than `known` decisions are judged, or all; how many are."""
        began = time.monotonic()
        while (number := len(self.judged)) < len(self._moves):
            if number > known and time.monotonic() - began > _AT_ONCE:
                break
            async with self._lock:
                if number == len(self.judged):  # nobody who listens, too, has added it
                    decision = self._positions[number], self._moves[number], number
                    self.judged.append(await self._ask(partial(verdict_on, *decision), viewer))
        return len(self.judged)

    def forecasts(self) -> Forecasts:
        """Every seat's chances over the game, as well as they are known."""
        return of_all_seats(self._by_movers(), self._positions)

    async def line(self, number: int, viewer: str) -> tuple[Course, Forecasts]:
        """The best line from a position on; its forecasts go on from those of the game."""
        await self.begin(viewer)
        whole = partial(best_line, self._positions[number], number=number)
        course, own = await self._ask(whole, viewer)
        return course, await run_in_threadpool(self._joined, number, course, own)

    async def _ask(self, analysis: Callable[..., Any], viewer: str) -> Any:
        job = partial(analyse, analysis, self._positions[0].game.name, self.agent)
        return await self._analysts.answer(job, viewer)

    def _joined(self, number: int, course: Course, own: Forecasts) -> Forecasts:
        game = self._by_movers()
        whole = Forecasts(
            np.concatenate([game.chances[:number], own.chances]),
            np.concatenate([game.scores[:number], own.scores]),
            self.name,
        )
        seen = of_all_seats(whole, [*self._positions[:number], *course.positions])
        return Forecasts(seen.chances[number:], seen.scores[number:], self.name)

    def _by_movers(self) -> Forecasts:
        assert self._first is not None
        chances, scores = self._first.chances.copy(), self._first.scores.copy()
        for verdict in list(self.judged):
            at = verdict.number - 1
            chances[at], scores[at] = verdict.chances, verdict.scores
        return Forecasts(chances, scores, self.name)


@dataclass(frozen=True)
class _Asked:
    site: Site
    request: Request
    reviewed: Reviewed
    address: str

    @property
    def ply(self) -> int:
        """The position asked for; HTTPException if there is none."""
        last = len(self.reviewed.film)
        ply = number_of(self.request.path_params.get("ply", "0"))
        if ply is None or ply > last:
            raise HTTPException(404, f"There is no such position; they are numbered 0 to {last}.")
        return ply

    @property
    def ply_to_move(self) -> int:
        ply = self.ply
        if self.reviewed.game.positions[ply].to_move is None:
            raise HTTPException(409, "The game is over here; choose an earlier position.")
        return ply

    def judging(self) -> Judging:
        """The agent asked for, by default the game's own; TableError if it cannot judge."""
        reviewed, settings = self.reviewed, self.site.settings
        game = reviewed.film.game
        name = self.request.query_params.get("agent") or strongest(game)
        agent = settings.allowed(name, game.name)
        new = Judging(reviewed.game, name, agent, self.site.analysts)
        return reviewed.judgings.setdefault(name, new)


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
        return Reviewed(Course(now.positions, now.moves, now.names), plan=now.plan)

    def asked(request: Request) -> _Asked:
        kind, game_id = request.path_params["kind"], request.path_params["id"]
        return _Asked(site, request, reviewed(kind, game_id), f"/review/{kind}/{game_id}")

    def picture(asked: _Asked) -> Response:
        return Response(png(asked.reviewed.film.picture(asked.ply)), media_type="image/png")

    def of_game(path: str, show: Callable[[_Asked], Response]) -> Route:
        return Route(f"/review/{{kind}}/{{id}}{path}", lambda request: show(asked(request)))

    async def analysis(request: Request) -> Response:
        """Server-sent events: graphs and verdicts, while somebody listens."""
        question = await run_in_threadpool(asked, request)
        judging = await run_in_threadpool(question.judging)
        return EventSourceResponse(_judged_events(question, judging))

    async def best(request: Request) -> Response:
        """The best line from a position on, as a film for the script, with what the bar shows."""
        question = await run_in_threadpool(asked, request)
        ply, judging = question.ply_to_move, await run_in_threadpool(question.judging)
        try:
            line = judging.line(ply, viewer_of(request))
            course, forecasts = await while_waited_for(request, line)
        except ThinkerError as fault:
            raise HTTPException(409, f"{judging.name} has failed: {fault}") from fault
        return await run_in_threadpool(_line, question, judging, course, forecasts)

    return [
        site.get("/review", _start),
        site.post("/review", _bring),
        *(
            Route(f"/film/{file.name}", lambda _, file=file: FileResponse(file))
            for file in (*SCRIPTS, *STYLES)
        ),
        of_game("", _show),
        of_game("/film", _film),
        of_game("/page", _share),
        Route("/review/{kind}/{id}/analysis", analysis),
        of_game("/{ply}", _show),
        of_game("/{ply}/on", _play_on),
        Route("/review/{kind}/{id}/{ply}/line", best),
        of_game("/{ply}/picture.png", picture),
    ]


def _start(site: Site, request: Request, fault: str = "") -> Response:
    owner = owner_of(request)
    return site.page(
        request,
        "reviews.html",
        422 if fault else 200,
        fault=fault,
        tables=[table for table in site.store.tables_of(owner, _LATEST) if table.over],
        records=site.store.records_of(owner, _LATEST),
        most=MOST_BYTES >> 20,
    )


def _bring(site: Site, request: Request, _fields: Fields, file: bytes) -> Response:
    try:
        game = Reviewed(from_bytes(file, _PASTED))
    except DatasetError as fault:
        return _start(site, request, str(fault))
    packed = file if file.startswith(b"\x1f\x8b") else gzip.compress(file, mtime=0)
    record_id = site.store.keep_record(owner_of(request), game.title, packed)
    return remembering(request, RedirectResponse(f"/review/record/{record_id}", 303))


def _show(asked: _Asked) -> Response:
    at, film, name = asked.ply, asked.reviewed.film, asked.judging().name
    link = f"{asked.address}/"
    extras = asked.site.fragment(
        "review_extras.html",
        address=asked.address,
        agent=name,
        game=film.game.name,
        scores=score_graph(film, link),
        at=at,
    )
    shown = player(film, extras, source=f"{link}film", link=link, at=at, board=film.board(at))
    about: dict[str, Any] = {"title": asked.reviewed.title, "address": asked.address, "agent": name}
    return asked.site.page(asked.request, "review.html", player=shown, **about)


def _film(asked: _Asked) -> Response:
    headers = {"Content-Encoding": "gzip", "Cache-Control": "private, max-age=3600"}
    return Response(asked.reviewed.data, media_type="application/json", headers=headers)


def _share(asked: _Asked) -> Response:
    judging, film = asked.judging(), asked.reviewed.film
    judged, title = list(judging.judged), asked.reviewed.title
    page = film_page(film, title=title)
    if judged:
        page = judged_page(film, judging.forecasts(), judged, title)
    headers = {"Content-Disposition": f'attachment; filename="{film.game.name}-game.html"'}
    return Response(page, media_type="text/html", headers=headers)


def _line(asked: _Asked, judging: Judging, course: Course, forecasts: Forecasts) -> Response:
    named = replace(course, names=asked.reviewed.game.names)
    film = json.loads(Film(named).data())
    alone = asked.reviewed.film.players == 1
    values = forecasts.scores if alone else 100 * forecasts.chances
    title = f"Position {asked.ply}: {judging.name} would go on as follows."
    return JSONResponse({**film, "title": title, "values": values.round(1).tolist()})


def _play_on(asked: _Asked) -> Response:
    reviewed, settings = asked.reviewed, asked.site.settings
    position = reviewed.game.positions[asked.ply_to_move]
    game = position.game.name
    if reviewed.plan is not None:
        fields = same_seats(reviewed.plan, settings)
    else:  # a name that is no agent's is a person's
        fields, offered = {"game": game}, settings.agents_for(game)
        for seat, name in enumerate(reviewed.game.names or ()):
            who = name if name in offered else PERSON
            fields |= {f"seat{seat}": who, f"name{seat}": short_name(name)}
    fields["position"] = json.dumps(position.to_dict(), separators=(",", ":"))
    return RedirectResponse(f"/?{urlencode(fields)}", 303)


async def _judged_events(asked: _Asked, judging: Judging) -> AsyncIterator[dict[str, str]]:
    film, last, link = asked.reviewed.film, len(asked.reviewed.film), f"{asked.address}/"
    viewer, fragment = viewer_of(asked.request), asked.site.fragment

    def figures() -> list[dict[str, str]]:
        judged = list(judging.judged)
        parts = {
            "graph": chances_graph(film, judging.forecasts(), judged, link),
            "mistakes": mistakes_list(film, judged, link),
            "summary": summary(film, judged),
        }
        return [{"event": event, "data": data} for event, data in parts.items()]

    def progress(known: int) -> dict[str, str]:
        text = fragment("review_progress.html", known=known, last=last, name=judging.name)
        return {"event": "progress", "data": text}

    try:
        await judging.begin(viewer)
        known, latest, drawn_at = -1, 0, float("-inf")
        while known < latest:
            known = latest
            if time.monotonic() - drawn_at > _EVERY:
                for part in await run_in_threadpool(figures):
                    yield part
                drawn_at = time.monotonic()
            yield progress(known)
            latest = await judging.more(known, viewer)
        for part in await run_in_threadpool(figures):
            yield part
        yield progress(last)
    except ThinkerError as fault:
        text = fragment("failed.html", name=judging.name, fault=fault)
        yield {"event": "progress", "data": text}
    yield {"event": "done", "data": ""}
