"""The pages of a review: a finished game with an agent's verdict on every decision."""

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

from shakespeare_env.checks.values import parse_number, short_name
from shakespeare_env.drawing.raster import png
from shakespeare_env.errors import DatasetError
from shakespeare_env.film import SCRIPTS, STYLES, Film, film_page, film_player
from shakespeare_env.film.graphs import score_graph
from shakespeare_env.play.history import GameHistory
from shakespeare_table.analysis import judging, mistakes
from shakespeare_table.analysis.judging import MoveVerdict
from shakespeare_table.analysis.mistakes import Forecasts
from shakespeare_table.browser.access import MAX_UPLOAD_BYTES
from shakespeare_table.browser.capacity import (
    PageThreads,
    SharedResults,
    cancel_on_disconnect,
    viewer_of,
)
from shakespeare_table.browser.lobby import PERSON, same_seats
from shakespeare_table.browser.opponents import default_agent
from shakespeare_table.browser.processes import AsyncPool, Job, JobError, analyse
from shakespeare_table.browser.site import Site, owner_of, read_form, with_owner_cookie
from shakespeare_table.browser.store import TablePlan
from shakespeare_table.recorded import parse_json_lines, with_public_names

_MAX_LISTED = 20  # games of each kind on the first page
_GAMES_KEPT = 12  # in memory
_DRAWINGS_KEPT = 16  # films, pages and pictures of each game, of up to about 0.4 MB each
_LINES_KEPT = 32  # best lines by each agent in each game
MAX_MOVES = 2000
"""The most moves of an uploaded game. Long games of Shakespeare and Figaro have a few hundred."""
_PROGRESS_EVERY_S = 0.3
_GRAPHS_EVERY_S = 1.5
_FORECAST_PLAYOUTS = 8  # of each position for the first graph, if no network forecasts
_UPLOAD_NAME = "the game given"  # the name of an uploaded file in errors


class ReviewedGame:
    """A finished game under review. Nothing in it is secret.

    Attributes:
        history: The game's moves and positions. `film.game` is the `Game` with its rules.
        plan: The setup of the table where it was played; None for an uploaded game.
        drawings: The films, pages and pictures that the drawing process has made of it.
        reviews: The agents' reviews, by the agents' names as pages show them.
    """

    def __init__(
        self, history: GameHistory, title: str = "", plan: TablePlan | None = None
    ) -> None:
        self.plan = plan
        if plan is None:
            history = with_public_names(history)
        # A list holds each position by itself, so that a single one can be sent to a process.
        self.history = replace(history, positions=list(history.positions))
        self.film = Film(self.history)
        self.title = title or self.film.title()
        self.drawings = SharedResults(_DRAWINGS_KEPT)
        self.reviews: dict[str, AgentReview] = {}


class AgentReview:
    """An agent's review of a game, which goes on while somebody asks for more verdicts.

    Attributes:
        name: The agent's name, as pages show it. The argument `agent` is the name for `make`.
        verdicts: The verdicts so far, from the first decision on.
        figures: The graph and lists of the latest verdicts.
    """

    def __init__(
        self, game: GameHistory, name: str, agent: str, pool: AsyncPool, threads: PageThreads
    ) -> None:
        self._positions = game.positions
        self._moves = game.moves
        self._agent = agent
        self._pool = pool
        self._threads = threads
        self._lock = asyncio.Lock()
        self._lines = SharedResults(_LINES_KEPT)
        self._early_forecasts: Forecasts | None = None
        self.name = name
        self.verdicts: list[MoveVerdict] = []
        self.figures = SharedResults(1)

    async def begin(self, viewer: str) -> None:
        """Forecast the results in every position, unless that has been done."""
        async with self._lock:
            if self._early_forecasts is None:
                analysis = partial(
                    judging.forecasts_of, self._positions, playouts=_FORECAST_PLAYOUTS
                )
                self._early_forecasts = await self._analyse(analysis, viewer)

    async def judge_more(self, judged: int, viewer: str) -> int:
        """Judge decisions for a moment, and return the number of verdicts that there are then.

        Args:
            judged: The number of verdicts that the caller has seen. The returned number is larger,
                unless all decisions have been judged.
            viewer: The viewer whose share of the processes it takes.
        """
        began = time.monotonic()
        while len(self.verdicts) < len(self._moves):
            number = len(self.verdicts)
            if number > judged and time.monotonic() - began > _PROGRESS_EVERY_S:
                break
            async with self._lock:
                if number == len(self.verdicts):  # no other request has added it meanwhile
                    position = self._positions[number]
                    analysis = partial(
                        judging.judge_decision, position, self._moves[number], number
                    )
                    self.verdicts.append(await self._analyse(analysis, viewer))
        return len(self.verdicts)

    def forecasts(self) -> Forecasts:
        """Return the forecasts of every position, which the verdicts so far have improved."""
        return judging.averaged_over_seats(self._forecasts_by_movers(), self._positions)

    async def best_line(self, number: int, viewer: str) -> tuple[GameHistory, Forecasts]:
        """Return the best line after `number` moves, with forecasts that continue the game's."""
        await self.begin(viewer)
        analysis = partial(judging.best_line, self._positions[number], number=number)
        make = partial(self._analyse, analysis, viewer)
        line, by_movers = await self._lines.get(number, make)
        forecasts = await self._threads.run(viewer, self._line_forecasts, number, line, by_movers)
        return line, forecasts

    async def _analyse(self, analysis: Callable[..., Any], viewer: str) -> Any:
        job = partial(analyse, analysis, self._positions[0].game.name, self._agent)
        return await self._pool.result(job, viewer)

    def _line_forecasts(self, number: int, line: GameHistory, by_movers: Forecasts) -> Forecasts:
        """Return the forecasts of a line's positions, averaged over seats.

        The average at a position takes in each seat's latest decision, which may be one of the game
        before the line.

        Args:
            number: The number of moves of the game before the line.
            line: The line.
            by_movers: The forecasts of the line's positions by the seats to move.
        """
        of_game = self._forecasts_by_movers()
        joined = Forecasts(
            np.concatenate([of_game.chances[:number], by_movers.chances]),
            np.concatenate([of_game.scores[:number], by_movers.scores]),
            self.name,
        )
        positions = [*self._positions[:number], *line.positions]
        averaged = judging.averaged_over_seats(joined, positions)
        return Forecasts(averaged.chances[number:], averaged.scores[number:], self.name)

    def _forecasts_by_movers(self) -> Forecasts:
        """Return the forecast of each position as the seat to move there sees it."""
        assert self._early_forecasts is not None
        chances = self._early_forecasts.chances.copy()
        scores = self._early_forecasts.scores.copy()
        for verdict in list(self.verdicts):
            chances[verdict.number - 1] = verdict.chances
            scores[verdict.number - 1] = verdict.scores
        return Forecasts(chances, scores, self.name)


@dataclass(frozen=True)
class _ReviewQuery:
    """A request for a page of a reviewed game. The paths of all its pages begin with `address`."""

    site: Site
    request: Request
    reviewed: ReviewedGame
    address: str

    @property
    def viewer(self) -> str:
        return viewer_of(self.request)

    async def drawing(self, key: Hashable, job: Job) -> Any:
        """Return a drawing of the game, which a process makes once for everybody who asks."""
        draw = partial(self.site.drawings.result, job, self.viewer)
        try:
            return await self.reviewed.drawings.get(key, draw)
        except JobError as fault:
            raise HTTPException(503, f"This cannot be drawn: {fault}.") from fault

    @property
    def ply(self) -> int:
        """The number of the requested position; HTTPException if there is no such position."""
        last = len(self.reviewed.film)
        ply = parse_number(self.request.path_params.get("ply", "0"))
        if ply is None or ply > last:
            raise HTTPException(404, f"There is no such position; they are numbered 0 to {last}.")
        return ply

    @property
    def ply_to_move(self) -> int:
        """The number of the requested position; HTTPException if the game is over there."""
        ply = self.ply
        if self.reviewed.history.positions[ply].to_move is None:
            raise HTTPException(409, "The game is over here; choose an earlier position.")
        return ply

    def review(self) -> AgentReview:
        """Return the requested agent's review; TableError if the agent is not offered."""
        game = self.reviewed.film.game
        name = self.request.query_params.get("agent") or default_agent(game)
        agent = self.site.opponents.agent(name, game.name)
        new = AgentReview(self.reviewed.history, name, agent, self.site.analyses, self.site.threads)
        return self.reviewed.reviews.setdefault(name, new)


def routes(site: Site) -> list[Route]:
    """Return the routes of the reviews' pages."""
    games = SharedResults(_GAMES_KEPT)

    async def read_query(request: Request) -> _ReviewQuery:
        kind = request.path_params["kind"]
        game_id = request.path_params["id"]
        make = partial(_reviewed_game, site, kind, game_id, viewer_of(request))
        reviewed = await games.get((kind, game_id), make)
        return _ReviewQuery(site, request, reviewed, f"/review/{kind}/{game_id}")

    def game_route(
        path: str, answer: Callable[[_ReviewQuery], Coroutine[Any, Any, Response]]
    ) -> Route:
        async def answer_request(request: Request) -> Response:
            return await answer(await read_query(request))

        return site.async_route(f"/review/{{kind}}/{{id}}{path}", answer_request)

    def on_thread(answer: Callable[[_ReviewQuery], Response]) -> Callable[[_ReviewQuery], Any]:
        return lambda query: site.threads.run(query.viewer, answer, query)

    async def upload(request: Request) -> Response:
        _, file = await read_form(request)
        return await cancel_on_disconnect(request, _upload(site, request, file))

    assets = [
        Route(f"/film/{file.name}", lambda _, file=file: FileResponse(file))
        for file in (*SCRIPTS, *STYLES)
    ]
    return [
        site.page_route("/review", _start),
        Route("/review", upload, methods=["POST"]),
        *assets,
        game_route("", on_thread(_show)),
        game_route("/film", _film),
        game_route("/page", _download),
        game_route("/analysis", _analysis),
        game_route("/{ply}", on_thread(_show)),
        game_route("/{ply}/on", on_thread(_play_on)),
        game_route("/{ply}/line", _best_line),
        game_route("/{ply}/picture.png", _picture),
    ]


async def _reviewed_game(site: Site, kind: str, game_id: str, viewer: str) -> ReviewedGame:
    """Return the game with an id, of the kind `record` (uploaded) or `table` (played here).

    Raises:
        HTTPException: There is no such game, or it is still being played.
    """
    run = site.threads.run
    if kind == "record":
        record = await run(viewer, site.store.record, game_id)
        if record is not None:
            title, lines = record
            return await run(viewer, ReviewedGame, await _read(site, lines, viewer), title)
    table = await run(viewer, site.tables.get, game_id) if kind == "table" else None
    if table is None:
        raise HTTPException(404, "There is no such game.")
    state = table.state()
    if not state.is_over:  # a review shows every secret
        raise HTTPException(403, "This game is still being played; review it once it is over.")
    history = GameHistory(state.positions, state.moves, state.names)
    return await run(viewer, partial(ReviewedGame, history, plan=state.plan))


async def _read(site: Site, lines: bytes, viewer: str) -> GameHistory:
    """Read an uploaded game; DatasetError if the lines hold no game, or a game too long."""
    try:
        found = await site.drawings.result(partial(_game_of, lines), viewer)
    except JobError as fault:
        raise DatasetError(f"{_UPLOAD_NAME} cannot be read: {fault}") from fault
    if isinstance(found, DatasetError):
        raise found
    game: GameHistory = found
    if len(game.moves) > MAX_MOVES:
        raise DatasetError(
            f"{_UPLOAD_NAME} has {len(game.moves):,} moves; a review takes {MAX_MOVES:,} at most"
        )
    return game


def _game_of(lines: bytes) -> Iterator[GameHistory | DatasetError | None]:
    """Yield the game that lines hold, or the error that says what is wrong, as a job."""
    yield None  # a job yields None once it is ready to work, and then its results (`Job`)
    try:
        yield parse_json_lines(lines, _UPLOAD_NAME)
    except DatasetError as fault:
        yield fault


def _start(site: Site, request: Request, fault: str = "") -> Response:
    owner = owner_of(request)
    return site.page(
        request,
        "reviews.html",
        422 if fault else 200,
        fault=fault,
        tables=[table for table in site.store.tables_of(owner, _MAX_LISTED) if table.over],
        records=site.store.records_of(owner, _MAX_LISTED),
        max_megabytes=MAX_UPLOAD_BYTES >> 20,
    )


async def _upload(site: Site, request: Request, file: bytes) -> Response:
    viewer = viewer_of(request)
    try:
        game = await _read(site, file, viewer)
    except DatasetError as fault:
        return await site.threads.run(viewer, _start, site, request, str(fault))
    return await site.threads.run(viewer, _keep, site, request, game, file)


def _keep(site: Site, request: Request, game: GameHistory, file: bytes) -> Response:
    title = ReviewedGame(game).title
    is_gzipped = file.startswith(b"\x1f\x8b")
    lines = file if is_gzipped else gzip.compress(file, mtime=0)
    record_id = site.store.keep_record(owner_of(request), title, lines)
    return with_owner_cookie(request, RedirectResponse(f"/review/record/{record_id}", 303))


def _show(query: _ReviewQuery) -> Response:
    at = query.ply
    film = query.reviewed.film
    agent = query.review().name
    link = f"{query.address}/"
    extras = query.site.render(
        "review_extras.html",
        address=query.address,
        agent=agent,
        game=film.game.name,
        scores=score_graph(film, link),
        at=at,
    )
    shown = film_player(film, extras, source=f"{link}film", link=link, at=at, board=film.board(at))
    return query.site.page(
        query.request,
        "review.html",
        player=shown,
        title=query.reviewed.title,
        address=query.address,
        agent=agent,
    )


async def _film(query: _ReviewQuery) -> Response:
    content = await query.drawing("film", partial(_packed_film, query.reviewed.history))
    headers = {"Content-Encoding": "gzip", "Cache-Control": "private, max-age=3600"}
    return Response(content, media_type="application/json", headers=headers)


def _packed_film(game: GameHistory) -> Iterator[bytes | None]:
    """Yield the data that `film.js` plays, gzipped, as a job."""
    yield None
    yield gzip.compress(Film(game).data().encode(), 6)


async def _download(query: _ReviewQuery) -> Response:
    run = query.site.threads.run
    review = await run(query.viewer, query.review)
    verdicts = list(review.verdicts)
    forecasts = await run(query.viewer, review.forecasts) if verdicts else None
    game = query.reviewed.history
    job = partial(_page_of, game, query.reviewed.title, verdicts, forecasts)
    page = await query.drawing(("page", review.name, len(verdicts)), job)
    name = query.reviewed.film.game.name
    headers = {"Content-Disposition": f'attachment; filename="{name}-game.html"'}
    return Response(page, media_type="text/html", headers=headers)


def _page_of(
    game: GameHistory, title: str, verdicts: Sequence[MoveVerdict], forecasts: Forecasts | None
) -> Iterator[str | None]:
    """Yield a game as a single page, with an agent's verdicts if there are any, as a job."""
    yield None
    film = Film(game)
    if forecasts is None:
        yield film_page(film, title=title)
    else:
        yield mistakes.annotated_page(film, forecasts, verdicts, title)


async def _picture(query: _ReviewQuery) -> Response:
    ply = query.ply
    game = query.reviewed.history
    position = GameHistory([game.positions[ply]], [], game.names)
    drawn = await query.drawing(("picture", ply), partial(_picture_of, position))
    return Response(drawn, media_type="image/png")


def _picture_of(game: GameHistory) -> Iterator[bytes | None]:
    """Yield the picture of a game's first position, as a job."""
    yield None
    yield png(Film(game).picture(0))


async def _best_line(query: _ReviewQuery) -> Response:
    """Answer with the best line from a position on, as a film, and the values for its bar."""
    run = query.site.threads.run
    ply = query.ply_to_move
    review = await run(query.viewer, query.review)
    try:
        line, forecasts = await review.best_line(ply, query.viewer)
    except JobError as fault:
        raise HTTPException(409, f"{review.name} has failed: {fault}") from fault
    return await run(query.viewer, _line_response, query, review, line, forecasts)


def _line_response(
    query: _ReviewQuery, review: AgentReview, line: GameHistory, forecasts: Forecasts
) -> Response:
    named = replace(line, names=query.reviewed.history.names)
    film = json.loads(Film(named).data())
    is_solo = query.reviewed.film.players == 1
    values = forecasts.scores if is_solo else 100 * forecasts.chances
    title = f"Position {query.ply}: {review.name} would go on as follows."
    return JSONResponse({**film, "title": title, "values": values.round(1).tolist()})


def _play_on(query: _ReviewQuery) -> Response:
    """Redirect to the form of a new table that begins with the requested position."""
    reviewed = query.reviewed
    opponents = query.site.opponents
    position = reviewed.history.positions[query.ply_to_move]
    if reviewed.plan is not None:
        fields = same_seats(reviewed.plan, opponents)
    else:
        fields = {"game": position.game.name}
        offered = opponents.shown_names(position.game.name)
        for seat, name in enumerate(reviewed.history.names or ()):
            fields[f"seat{seat}"] = name if name in offered else PERSON
            fields[f"name{seat}"] = short_name(name)
    fields["position"] = json.dumps(position.to_dict(), separators=(",", ":"))
    return RedirectResponse(f"/?{urlencode(fields)}", 303)


async def _analysis(query: _ReviewQuery) -> Response:
    """Stream graphs and verdicts as server-sent events, until all decisions have been judged."""
    review = await query.site.threads.run(query.viewer, query.review)
    return EventSourceResponse(_review_events(query, review))


async def _review_events(query: _ReviewQuery, review: AgentReview) -> AsyncIterator[dict[str, str]]:
    film = query.reviewed.film
    link = f"{query.address}/"

    def draw(verdicts: Sequence[MoveVerdict]) -> list[dict[str, str]]:
        graph = mistakes.chances_graph(film, review.forecasts(), verdicts, link)
        return [
            {"event": "graph", "data": graph},
            {"event": "mistakes", "data": mistakes.mistakes_list(film, verdicts, link)},
            {"event": "summary", "data": mistakes.mistakes_summary(film, verdicts)},
        ]

    async def figure_events() -> list[dict[str, str]]:
        verdicts = list(review.verdicts)
        make = partial(query.site.threads.run, query.viewer, draw, verdicts)
        return await review.figures.get(len(verdicts), make)

    def progress(judged: int) -> dict[str, str]:
        text = query.site.render(
            "review_progress.html", judged=judged, last=len(film), name=review.name
        )
        return {"event": "progress", "data": text}

    try:
        await review.begin(query.viewer)
        judged = -1  # the number of verdicts that the browser has been told; -1 before the first
        latest = 0  # the number of verdicts by now
        drawn_at = float("-inf")
        while judged < latest:
            judged = latest
            if time.monotonic() - drawn_at > _GRAPHS_EVERY_S:
                for event in await figure_events():
                    yield event
                drawn_at = time.monotonic()
            yield progress(judged)
            latest = await review.judge_more(judged, query.viewer)
        for event in await figure_events():
            yield event
        yield progress(len(film))
    except JobError as fault:
        text = query.site.render("failed.html", name=review.name, fault=fault)
        yield {"event": "progress", "data": text}
    yield {"event": "done", "data": ""}
