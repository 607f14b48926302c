"""Review: a finished game, position by position, with what an agent thinks of it."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

import numpy as np
from sse_starlette import EventSourceResponse
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from shakespeare_env.checks.values import number_of, short_name
from shakespeare_env.drawing.raster import png
from shakespeare_env.errors import DatasetError
from shakespeare_env.film import SCRIPTS, STYLES, Film, film_page, player
from shakespeare_env.film.graphs import score_graph
from shakespeare_env.play.history import GameHistory
from shakespeare_table.analysis.judging import (
    MoveVerdict,
    averaged_over_seats,
    best_line,
    forecasts_of,
    judge_decision,
)
from shakespeare_table.analysis.mistakes import (
    Forecasts,
    annotated_page,
    chances_graph,
    mistakes_list,
    mistakes_summary,
)
from shakespeare_table.browser.capacity import PageThreads, Shared, viewer_of, while_waited_for
from shakespeare_table.browser.lobby import PERSON, same_seats
from shakespeare_table.browser.settings import MOST_BYTES, strongest
from shakespeare_table.browser.site import Site, owner_of, read_form, remembering
from shakespeare_table.browser.store import TablePlan
from shakespeare_table.browser.thinking import Analysts, Job, ThinkerError, analyse
from shakespeare_table.recorded import parse_json_lines, with_public_names

_LATEST = 20
_OPEN = 12  # games kept in memory
_MADE = 16  # films, pages and pictures kept of each; one takes up to about 0.4 MB
_LINES = 32  # best lines kept of each game and agent
_MOST_MOVES = 2000
"""The most moves of a game that is brought; a long game of the bundled ones has some hundreds."""
_AT_ONCE = 0.3  # seconds of judging before progress is reported
_EVERY = 1.5  # seconds between graphs while verdicts come in
_FEWER_PLAYOUTS = 8  # playouts of a position for an early graph where no network forecasts
_PASTED = "the game given"  # the name that errors give to lines from a form


class Reviewed:
    """A game that may be looked back on: all of it is open; `plan` is of a table played here.

    Attributes:
        made: What is drawn of the game in another process, for all who look at it.
        judgings: What agents find in it, by their names.
    """

    def __init__(self, game: GameHistory, title: str = "", plan: TablePlan | None = None) -> None:
        self.plan = plan
        if plan is None:
            game = with_public_names(game)
        # Each position is made once, and travels to the agents by itself.
        self.game = replace(game, positions=list(game.positions))
        self.film = Film(self.game)
        self.title = title or self.film.title()
        self.made = Shared(_MADE)
        self.judgings: dict[str, Judging] = {}


class Judging:
    """What an agent has found in a game so far; it goes on while somebody asks.

    Pages call the agent `name`, `make` takes it as `agent`.

    Attributes:
        figures: What is drawn of the latest findings, for all who listen.
    """

    def __init__(
        self, game: GameHistory, name: str, agent: str, analysts: Analysts, threads: PageThreads
    ) -> None:
        self._positions, self._moves = game.positions, game.moves
        self.name, self.agent = name, agent
        self._analysts = analysts
        self._threads = threads
        self._lock = asyncio.Lock()
        self._lines = Shared(_LINES)
        self.figures = Shared(1)
        self.judged: list[MoveVerdict] = []
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
                    self.judged.append(await self._ask(partial(judge_decision, *decision), viewer))
        return len(self.judged)

    def forecasts(self) -> Forecasts:
        """Every seat's chances over the game, as well as they are known."""
        return averaged_over_seats(self._by_movers(), self._positions)

    async def line(self, number: int, viewer: str) -> tuple[GameHistory, Forecasts]:
        """The best line from a position on; its forecasts go on from those of the game."""
        await self.begin(viewer)
        whole = partial(best_line, self._positions[number], number=number)
        history, own = await self._lines.get(number, partial(self._ask, whole, viewer))
        return history, await self._threads.run(viewer, self._joined, number, history, own)

    async def _ask(self, analysis: Callable[..., Any], viewer: str) -> Any:
        job = partial(analyse, analysis, self._positions[0].game.name, self.agent)
        return await self._analysts.answer(job, viewer)

    def _joined(self, number: int, history: GameHistory, own: Forecasts) -> Forecasts:
        game = self._by_movers()
        whole = Forecasts(
            np.concatenate([game.chances[:number], own.chances]),
            np.concatenate([game.scores[:number], own.scores]),
            self.name,
        )
        seen = averaged_over_seats(whole, [*self._positions[:number], *history.positions])
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
    def viewer(self) -> str:
        """Who asks."""
        return viewer_of(self.request)

    async def drawn(self, what: Hashable, job: Job) -> Any:
        """Draw something of the game in another process, once for all who ask for it."""
        draw = partial(self.site.renderer.answer, job, self.viewer)
        try:
            return await self.reviewed.made.get(what, draw)
        except ThinkerError as fault:
            raise HTTPException(503, f"This cannot be drawn: {fault}.") from fault

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
        new = Judging(reviewed.game, name, agent, self.site.analysts, self.site.threads)
        return reviewed.judgings.setdefault(name, new)


def routes(site: Site) -> list[Route]:
    """The pages of reviews."""
    games = Shared(_OPEN)

    async def asked(request: Request) -> _Asked:
        kind, game_id = request.path_params["kind"], request.path_params["id"]
        opened = partial(_opened, site, kind, game_id, viewer_of(request))
        reviewed = await games.get((kind, game_id), opened)
        return _Asked(site, request, reviewed, f"/review/{kind}/{game_id}")

    def of_game(path: str, show: Callable[[_Asked], Coroutine[Any, Any, Response]]) -> Route:
        async def shown(request: Request) -> Response:
            return await show(await asked(request))

        return site.waited(f"/review/{{kind}}/{{id}}{path}", shown)

    def on_thread(show: Callable[[_Asked], Response]) -> Callable[[_Asked], Any]:
        return lambda asked: site.threads.run(asked.viewer, show, asked)

    async def bring(request: Request) -> Response:
        _, file = await read_form(request)
        return await while_waited_for(request, _bring(site, request, file))

    return [
        site.get("/review", _start),
        Route("/review", bring, methods=["POST"]),
        *(
            Route(f"/film/{file.name}", lambda _, file=file: FileResponse(file))
            for file in (*SCRIPTS, *STYLES)
        ),
        of_game("", on_thread(_show)),
        of_game("/film", _film),
        of_game("/page", _share),
        of_game("/analysis", _analysis),
        of_game("/{ply}", on_thread(_show)),
        of_game("/{ply}/on", on_thread(_play_on)),
        of_game("/{ply}/line", _best),
        of_game("/{ply}/picture.png", _picture),
    ]


async def _opened(site: Site, kind: str, game_id: str, viewer: str) -> Reviewed:
    """A game by the parts of its address; HTTPException if there is none, or it goes on."""
    run = site.threads.run
    if kind == "record" and (record := await run(viewer, site.store.record, game_id)) is not None:
        title, lines = record
        return await run(viewer, Reviewed, await _read(site, lines, viewer), title)
    table = await run(viewer, site.tables.get, game_id) if kind == "table" else None
    if table is None:
        raise HTTPException(404, "There is no such game.")
    now = table.now()
    if not now.is_over:  # a review shows every secret
        raise HTTPException(
            403, "This game is still being played; it is open to review once it is over."
        )
    return await run(
        viewer, partial(Reviewed, GameHistory(now.positions, now.moves, now.names), plan=now.plan)
    )


async def _read(site: Site, lines: bytes, viewer: str) -> GameHistory:
    """Read a game that was brought; DatasetError if it is none, or too long."""
    try:
        found = await site.renderer.answer(partial(_game_of, lines), viewer)
    except ThinkerError as fault:
        raise DatasetError(f"{_PASTED} cannot be read: {fault}") from fault
    if isinstance(found, DatasetError):
        raise found
    game: GameHistory = found
    if (moves := len(game.moves)) > _MOST_MOVES:
        raise DatasetError(f"{_PASTED} has {moves:,} moves; a review takes {_MOST_MOVES:,} at most")
    return game


def _game_of(lines: bytes) -> Iterator[GameHistory | DatasetError | None]:
    """Read a game as a job of the renderer; it yields the fault of lines that hold none."""
    yield None
    try:
        yield parse_json_lines(lines, _PASTED)
    except DatasetError as fault:
        yield fault


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


async def _bring(site: Site, request: Request, file: bytes) -> Response:
    viewer = viewer_of(request)
    try:
        game = await _read(site, file, viewer)
    except DatasetError as fault:
        return await site.threads.run(viewer, _start, site, request, str(fault))
    return await site.threads.run(viewer, _keep, site, request, game, file)


def _keep(site: Site, request: Request, game: GameHistory, file: bytes) -> Response:
    title = Reviewed(game).title
    packed = file if file.startswith(b"\x1f\x8b") else gzip.compress(file, mtime=0)
    record_id = site.store.keep_record(owner_of(request), title, packed)
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


async def _film(asked: _Asked) -> Response:
    content = await asked.drawn("film", partial(_packed_film, asked.reviewed.game))
    headers = {"Content-Encoding": "gzip", "Cache-Control": "private, max-age=3600"}
    return Response(content, media_type="application/json", headers=headers)


def _packed_film(game: GameHistory) -> Iterator[bytes | None]:
    """Draw what `film.js` plays as a job of the renderer, gzipped."""
    yield None
    yield gzip.compress(Film(game).data().encode(), 6)


async def _share(asked: _Asked) -> Response:
    run = asked.site.threads.run
    judging = await run(asked.viewer, asked.judging)
    judged = list(judging.judged)
    forecasts = await run(asked.viewer, judging.forecasts) if judged else None
    game, title = asked.reviewed.game, asked.reviewed.title
    page = await asked.drawn(
        ("page", judging.name, len(judged)), partial(_page_of, game, title, judged, forecasts)
    )
    name = asked.reviewed.film.game.name
    headers = {"Content-Disposition": f'attachment; filename="{name}-game.html"'}
    return Response(page, media_type="text/html", headers=headers)


def _page_of(
    game: GameHistory, title: str, judged: Sequence[MoveVerdict], forecasts: Forecasts | None
) -> Iterator[str | None]:
    """Draw a game as one page, with what an agent has found, as a job of the renderer."""
    yield None
    film = Film(game)
    if forecasts is None:
        yield film_page(film, title=title)
    else:
        yield annotated_page(film, forecasts, judged, title)


async def _picture(asked: _Asked) -> Response:
    ply, game = asked.ply, asked.reviewed.game
    alone = GameHistory([game.positions[ply]], [], game.names)
    drawn = await asked.drawn(("picture", ply), partial(_picture_of, alone))
    return Response(drawn, media_type="image/png")


def _picture_of(alone: GameHistory) -> Iterator[bytes | None]:
    """Draw the picture of a game's first position as a job of the renderer."""
    yield None
    yield png(Film(alone).picture(0))


async def _analysis(asked: _Asked) -> Response:
    """Server-sent events: graphs and verdicts, while somebody listens."""
    judging = await asked.site.threads.run(asked.viewer, asked.judging)
    return EventSourceResponse(_judged_events(asked, judging))


async def _best(asked: _Asked) -> Response:
    """The best line from a position on, as a film for the script, with what the bar shows."""
    ply, run = asked.ply_to_move, asked.site.threads.run
    judging = await run(asked.viewer, asked.judging)
    try:
        history, forecasts = await judging.line(ply, asked.viewer)
    except ThinkerError as fault:
        raise HTTPException(409, f"{judging.name} has failed: {fault}") from fault
    return await run(asked.viewer, _line, asked, judging, history, forecasts)


def _line(asked: _Asked, judging: Judging, history: GameHistory, forecasts: Forecasts) -> Response:
    named = replace(history, names=asked.reviewed.game.names)
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
    viewer, fragment = asked.viewer, asked.site.fragment

    def drawn(judged: Sequence[MoveVerdict]) -> list[dict[str, str]]:
        parts = {
            "graph": chances_graph(film, judging.forecasts(), judged, link),
            "mistakes": mistakes_list(film, judged, link),
            "summary": mistakes_summary(film, judged),
        }
        return [{"event": event, "data": data} for event, data in parts.items()]

    async def figures() -> list[dict[str, str]]:
        judged = list(judging.judged)
        draw = partial(asked.site.threads.run, viewer, drawn, judged)
        return await judging.figures.get(len(judged), draw)

    def progress(known: int) -> dict[str, str]:
        text = fragment("review_progress.html", known=known, last=last, name=judging.name)
        return {"event": "progress", "data": text}

    try:
        await judging.begin(viewer)
        known, latest, drawn_at = -1, 0, float("-inf")
        while known < latest:
            known = latest
            if time.monotonic() - drawn_at > _EVERY:
                for part in await figures():
                    yield part
                drawn_at = time.monotonic()
            yield progress(known)
            latest = await judging.more(known, viewer)
        for part in await figures():
            yield part
        yield progress(last)
    except ThinkerError as fault:
        text = fragment("failed.html", name=judging.name, fault=fault)
        yield {"event": "progress", "data": text}
    yield {"event": "done", "data": ""}
