"""Review: a finished game, position by position, with an agent's verdict on every decision."""

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
from shakespeare_env.film import SCRIPTS, STYLES, Film, film_page, player
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
_DRAWINGS_KEPT = 16  # films, pages and pictures of each game; one takes up to about 0.4 MB
_LINES_KEPT = 32  # best lines of each game and agent
_MAX_MOVES = 2000
"""The length limit of an uploaded game; a long game of the bundled ones has some hundred moves."""
_PROGRESS_EVERY_S = 0.3
_GRAPHS_EVERY_S = 1.5
_FORECAST_PLAYOUTS = 8  # of a position, for an early graph where no network forecasts
_UPLOAD_NAME = "the game given"  # how errors call an uploaded file


class ReviewedGame:
    """A finished game under review; all of it may be seen.

    Attributes:
        plan: The setup of the table where it was played; None for an uploaded game.
        drawings: What the drawing process has made of the game.
        reviews: The agents' reviews, by the agents' names as pages show them.
    """

    def __init__(self, game: GameHistory, title: str = "", plan: TablePlan | None = None) -> None:
        self.plan = plan
        if plan is None:
            game = with_public_names(game)
        # A list makes each position once, so that it travels to the agents by itself.
        self.game = replace(game, positions=list(game.positions))
        self.film = Film(self.game)
        self.title = title or self.film.title()
        self.drawings = SharedResults(_DRAWINGS_KEPT)
        self.reviews: dict[str, AgentReview] = {}


class AgentReview:
    """An agent's review of a game. It goes on while somebody asks for more of it.

    Attributes:
        name: The agent's name, as pages show it; `make` takes it as `agent`.
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
        """Forecast every position, unless that is done already."""
        async with self._lock:
            if self._early_forecasts is None:
                analysis = partial(
                    judging.forecasts_of, self._positions, playouts=_FORECAST_PLAYOUTS
                )
                self._early_forecasts = await self._analyse(analysis, viewer)

    async def judge_more(self, known: int, viewer: str) -> int:
        """Judge decisions for a while, until more than `known` or all of them are judged.

        Returns:
            The number of decisions that are judged.
        """
        began = time.monotonic()
        while (number := len(self.verdicts)) < len(self._moves):
            if number > known and time.monotonic() - began > _PROGRESS_EVERY_S:
                break
            async with self._lock:
                if number == len(self.verdicts):  # no other listener has added it meanwhile
                    position = self._positions[number]
                    analysis = partial(
                        judging.judge_decision, position, self._moves[number], number
                    )
                    self.verdicts.append(await self._analyse(analysis, viewer))
        return len(self.verdicts)

    def forecasts(self) -> Forecasts:
        """Return every seat's chances over the game, as well as they are known so far."""
        return judging.averaged_over_seats(self._forecasts_by_movers(), self._positions)

    async def best_line(self, number: int, viewer: str) -> tuple[GameHistory, Forecasts]:
        """Return the best line from a position on, with forecasts that continue the game's."""
        await self.begin(viewer)
        analysis = partial(judging.best_line, self._positions[number], number=number)
        make = partial(self._analyse, analysis, viewer)
        line, own = await self._lines.get(number, make)
        forecasts = await self._threads.run(viewer, self._continued, number, line, own)
        return line, forecasts

    async def _analyse(self, analysis: Callable[..., Any], viewer: str) -> Any:
        job = partial(analyse, analysis, self._positions[0].game.name, self._agent)
        return await self._pool.result(job, viewer)

    def _continued(self, number: int, line: GameHistory, own: Forecasts) -> Forecasts:
        game = self._forecasts_by_movers()
        joined = Forecasts(
            np.concatenate([game.chances[:number], own.chances]),
            np.concatenate([game.scores[:number], own.scores]),
            self.name,
        )
        all_seats = judging.averaged_over_seats(
            joined, [*self._positions[:number], *line.positions]
        )
        return Forecasts(all_seats.chances[number:], all_seats.scores[number:], self.name)

    def _forecasts_by_movers(self) -> Forecasts:
        assert self._early_forecasts is not None
        chances = self._early_forecasts.chances.copy()
        scores = self._early_forecasts.scores.copy()
        for verdict in list(self.verdicts):
            chances[verdict.number - 1] = verdict.chances
            scores[verdict.number - 1] = verdict.scores
        return Forecasts(chances, scores, self.name)


@dataclass(frozen=True)
class _ReviewRequest:
    """A request for a page of a reviewed game, whose pages are at `address`."""

    site: Site
    request: Request
    reviewed: ReviewedGame
    address: str

    @property
    def viewer(self) -> str:
        return viewer_of(self.request)

    async def drawing(self, key: Hashable, job: Job) -> Any:
        """Return a drawing of the game, made in another process once for all who ask for it."""
        draw = partial(self.site.drawings.result, job, self.viewer)
        try:
            return await self.reviewed.drawings.get(key, draw)
        except JobError as fault:
            raise HTTPException(503, f"This cannot be drawn: {fault}.") from fault

    @property
    def ply(self) -> int:
        """The number of the position asked for; HTTPException if there is none."""
        last = len(self.reviewed.film)
        ply = parse_number(self.request.path_params.get("ply", "0"))
        if ply is None or ply > last:
            raise HTTPException(404, f"There is no such position; they are numbered 0 to {last}.")
        return ply

    @property
    def ply_to_move(self) -> int:
        """The number of the position asked for; HTTPException if the game is over there."""
        ply = self.ply
        if self.reviewed.game.positions[ply].to_move is None:
            raise HTTPException(409, "The game is over here; choose an earlier position.")
        return ply

    def review(self) -> AgentReview:
        """Return the review by the agent asked for; TableError if the agent is not offered."""
        game = self.reviewed.film.game
        name = self.request.query_params.get("agent") or default_agent(game)
        agent = self.site.opponents.agent(name, game.name)
        new = AgentReview(self.reviewed.game, name, agent, self.site.analyses, self.site.threads)
        return self.reviewed.reviews.setdefault(name, new)


def routes(site: Site) -> list[Route]:
    """Return the routes of the reviews' pages."""
    games = SharedResults(_GAMES_KEPT)

    async def review_request(request: Request) -> _ReviewRequest:
        kind = request.path_params["kind"]
        game_id = request.path_params["id"]
        make = partial(_reviewed_game, site, kind, game_id, viewer_of(request))
        reviewed = await games.get((kind, game_id), make)
        return _ReviewRequest(site, request, reviewed, f"/review/{kind}/{game_id}")

    def of_game(
        path: str, answer: Callable[[_ReviewRequest], Coroutine[Any, Any, Response]]
    ) -> Route:
        async def answer_request(request: Request) -> Response:
            return await answer(await review_request(request))

        return site.async_route(f"/review/{{kind}}/{{id}}{path}", answer_request)

    def on_thread(answer: Callable[[_ReviewRequest], Response]) -> Callable[[_ReviewRequest], Any]:
        return lambda asked: site.threads.run(asked.viewer, answer, asked)

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
        of_game("", on_thread(_show)),
        of_game("/film", _film),
        of_game("/page", _download),
        of_game("/analysis", _analysis),
        of_game("/{ply}", on_thread(_show)),
        of_game("/{ply}/on", on_thread(_play_on)),
        of_game("/{ply}/line", _best_line),
        of_game("/{ply}/picture.png", _picture),
    ]


async def _reviewed_game(site: Site, kind: str, game_id: str, viewer: str) -> ReviewedGame:
    """Return a game by its address; HTTPException if there is none or it is still being played."""
    run = site.threads.run
    if kind == "record":
        record = await run(viewer, site.store.record, game_id)
        if record is not None:
            title, lines = record
            return await run(viewer, ReviewedGame, await _read(site, lines, viewer), title)
    table = await run(viewer, site.tables.get, game_id) if kind == "table" else None
    if table is None:
        raise HTTPException(404, "There is no such game.")
    now = table.now()
    if not now.is_over:  # a review shows every secret
        raise HTTPException(
            403, "This game is still being played; it can be reviewed once it is over."
        )
    history = GameHistory(now.positions, now.moves, now.names)
    return await run(viewer, partial(ReviewedGame, history, plan=now.plan))


async def _read(site: Site, lines: bytes, viewer: str) -> GameHistory:
    """Read an uploaded game; DatasetError if the lines hold no game or one that is too long."""
    try:
        found = await site.drawings.result(partial(_game_of, lines), viewer)
    except JobError as fault:
        raise DatasetError(f"{_UPLOAD_NAME} cannot be read: {fault}") from fault
    if isinstance(found, DatasetError):
        raise found
    game: GameHistory = found
    if len(game.moves) > _MAX_MOVES:
        raise DatasetError(
            f"{_UPLOAD_NAME} has {len(game.moves):,} moves; a review takes {_MAX_MOVES:,} at most"
        )
    return game


def _game_of(lines: bytes) -> Iterator[GameHistory | DatasetError | None]:
    """Yield the game that lines hold, or what is wrong with them, as a job."""
    yield None
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


def _show(asked: _ReviewRequest) -> Response:
    at = asked.ply
    film = asked.reviewed.film
    agent = asked.review().name
    link = f"{asked.address}/"
    extras = asked.site.render(
        "review_extras.html",
        address=asked.address,
        agent=agent,
        game=film.game.name,
        scores=score_graph(film, link),
        at=at,
    )
    shown = player(film, extras, source=f"{link}film", link=link, at=at, board=film.board(at))
    return asked.site.page(
        asked.request,
        "review.html",
        player=shown,
        title=asked.reviewed.title,
        address=asked.address,
        agent=agent,
    )


async def _film(asked: _ReviewRequest) -> Response:
    content = await asked.drawing("film", partial(_packed_film, asked.reviewed.game))
    headers = {"Content-Encoding": "gzip", "Cache-Control": "private, max-age=3600"}
    return Response(content, media_type="application/json", headers=headers)


def _packed_film(game: GameHistory) -> Iterator[bytes | None]:
    """Yield what `film.js` plays, gzipped, as a job."""
    yield None
    yield gzip.compress(Film(game).data().encode(), 6)


async def _download(asked: _ReviewRequest) -> Response:
    run = asked.site.threads.run
    review = await run(asked.viewer, asked.review)
    verdicts = list(review.verdicts)
    forecasts = await run(asked.viewer, review.forecasts) if verdicts else None
    game = asked.reviewed.game
    job = partial(_page_of, game, asked.reviewed.title, verdicts, forecasts)
    page = await asked.drawing(("page", review.name, len(verdicts)), job)
    name = asked.reviewed.film.game.name
    headers = {"Content-Disposition": f'attachment; filename="{name}-game.html"'}
    return Response(page, media_type="text/html", headers=headers)


def _page_of(
    game: GameHistory, title: str, verdicts: Sequence[MoveVerdict], forecasts: Forecasts | None
) -> Iterator[str | None]:
    """Yield a game as one page with an agent's verdicts, if there are any, as a job."""
    yield None
    film = Film(game)
    if forecasts is None:
        yield film_page(film, title=title)
    else:
        yield mistakes.annotated_page(film, forecasts, verdicts, title)


async def _picture(asked: _ReviewRequest) -> Response:
    ply = asked.ply
    game = asked.reviewed.game
    alone = GameHistory([game.positions[ply]], [], game.names)
    drawn = await asked.drawing(("picture", ply), partial(_picture_of, alone))
    return Response(drawn, media_type="image/png")


def _picture_of(alone: GameHistory) -> Iterator[bytes | None]:
    """Yield the picture of a game's first position, as a job."""
    yield None
    yield png(Film(alone).picture(0))


async def _best_line(asked: _ReviewRequest) -> Response:
    """Answer with the best line from a position on, as a film, and the values of its bar."""
    run = asked.site.threads.run
    ply = asked.ply_to_move
    review = await run(asked.viewer, asked.review)
    try:
        line, forecasts = await review.best_line(ply, asked.viewer)
    except JobError as fault:
        raise HTTPException(409, f"{review.name} has failed: {fault}") from fault
    return await run(asked.viewer, _line_response, asked, review, line, forecasts)


def _line_response(
    asked: _ReviewRequest, review: AgentReview, line: GameHistory, forecasts: Forecasts
) -> Response:
    named = replace(line, names=asked.reviewed.game.names)
    film = json.loads(Film(named).data())
    is_alone = asked.reviewed.film.players == 1
    values = forecasts.scores if is_alone else 100 * forecasts.chances
    title = f"Position {asked.ply}: {review.name} would go on as follows."
    return JSONResponse({**film, "title": title, "values": values.round(1).tolist()})


def _play_on(asked: _ReviewRequest) -> Response:
    reviewed = asked.reviewed
    opponents = asked.site.opponents
    position = reviewed.game.positions[asked.ply_to_move]
    if reviewed.plan is not None:
        fields = same_seats(reviewed.plan, opponents)
    else:
        fields = {"game": position.game.name}
        offered = opponents.shown_names(position.game.name)
        for seat, name in enumerate(reviewed.game.names or ()):
            fields[f"seat{seat}"] = name if name in offered else PERSON
            fields[f"name{seat}"] = short_name(name)
    fields["position"] = json.dumps(position.to_dict(), separators=(",", ":"))
    return RedirectResponse(f"/?{urlencode(fields)}", 303)


async def _analysis(asked: _ReviewRequest) -> Response:
    """Stream graphs and verdicts as server-sent events, while somebody listens."""
    review = await asked.site.threads.run(asked.viewer, asked.review)
    return EventSourceResponse(_review_events(asked, review))


async def _review_events(
    asked: _ReviewRequest, review: AgentReview
) -> AsyncIterator[dict[str, str]]:
    film = asked.reviewed.film
    link = f"{asked.address}/"

    def draw(verdicts: Sequence[MoveVerdict]) -> list[dict[str, str]]:
        graph = mistakes.chances_graph(film, review.forecasts(), verdicts, link)
        return [
            {"event": "graph", "data": graph},
            {"event": "mistakes", "data": mistakes.mistakes_list(film, verdicts, link)},
            {"event": "summary", "data": mistakes.mistakes_summary(film, verdicts)},
        ]

    async def figure_events() -> list[dict[str, str]]:
        verdicts = list(review.verdicts)
        make = partial(asked.site.threads.run, asked.viewer, draw, verdicts)
        return await review.figures.get(len(verdicts), make)

    def progress(known: int) -> dict[str, str]:
        text = asked.site.render(
            "review_progress.html", known=known, last=len(film), name=review.name
        )
        return {"event": "progress", "data": text}

    try:
        await review.begin(asked.viewer)
        known = -1
        latest = 0
        drawn_at = float("-inf")
        while known < latest:
            known = latest
            if time.monotonic() - drawn_at > _GRAPHS_EVERY_S:
                for event in await figure_events():
                    yield event
                drawn_at = time.monotonic()
            yield progress(known)
            latest = await review.judge_more(known, asked.viewer)
        for event in await figure_events():
            yield event
        yield progress(len(film))
    except JobError as fault:
        text = asked.site.render("failed.html", name=review.name, fault=fault)
        yield {"event": "progress", "data": text}
    yield {"event": "done", "data": ""}
