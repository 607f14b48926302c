"""The pages of a review: a finished game with an agent's verdict on every decision."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any
from urllib.parse import urlencode

from sse_starlette import EventSourceResponse
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from shakespeare_env.checks.values import parse_number, short_name, short_repr
from shakespeare_env.core.seat_names import YOU
from shakespeare_env.drawing.raster import png
from shakespeare_env.errors import DatasetError
from shakespeare_env.film import SCRIPTS, STYLES, Film, film_page, film_player
from shakespeare_env.film.graphs import score_graph
from shakespeare_env.play.history import GameHistory
from shakespeare_env.play.named import capitalised
from shakespeare_table.analysis import mistakes
from shakespeare_table.analysis.judging import MoveVerdict
from shakespeare_table.analysis.mistakes import Forecasts
from shakespeare_table.analysis.reasons import reasons_in_words
from shakespeare_table.browser.access import MAX_UPLOAD_BYTES
from shakespeare_table.browser.capacity import SharedResults, cancel_on_disconnect, viewer_of
from shakespeare_table.browser.judging.agent_review import AgentReview
from shakespeare_table.browser.lobby import PERSON, same_seats
from shakespeare_table.browser.opponents import default_agent
from shakespeare_table.browser.processes import Job, JobError
from shakespeare_table.browser.site import Site, owner_of, read_form, with_owner_cookie
from shakespeare_table.browser.storage.plan import TablePlan, default_name
from shakespeare_table.browser.viewing import final_scores, final_sheet, names_for_reader
from shakespeare_table.recorded import parse_json_lines, with_public_names

_MAX_LISTED = 20  # games of each kind on the first page
_GAMES_KEPT = 12  # in memory
_DRAWINGS_KEPT = 16  # films, pages and pictures of each game, of up to about 0.4 MB each
MAX_MOVES = 2000
"""The most moves of an uploaded game. Long games of Shakespeare and Figaro have a few hundred."""
_GRAPHS_EVERY_S = 1.5
_FORECAST_AFTER = 6  # verdicts, after which the page says how long the next ones will take
_JUDGE_ON = (
    "What it has judged so far is kept. Reload this page to let it go on, or choose another level "
    "below, under “Play on, download, judge”."
)
_UPLOAD_NAME = "the game given"  # the name of an uploaded file in errors


class ReviewedGame:
    """A finished game under review. Nothing in it is secret.

    Attributes:
        history: The game's moves and positions, with names that mean the same to every reader.
        plan: The setup of the table where it was played; None for an uploaded game.
        people: The seats that people held.
        title: The title.
        drawings: The films, pages and pictures that the drawing process has made of it.
        reviews: The agents' reviews, by the agents' names as pages show them.
    """

    def __init__(
        self, history: GameHistory, title: str = "", plan: TablePlan | None = None
    ) -> None:
        self.plan = plan
        if plan is not None:
            self.people = plan.people
        else:
            history = with_public_names(history)
            names = history.names or ()
            # Whoever has saved a game is "you" in its file.
            self.people = [seat for seat, name in enumerate(names) if name.casefold() == YOU]
            named = [
                default_name(seat) if seat in self.people else name
                for seat, name in enumerate(names)
            ]
            history = replace(history, names=named or None)
        # A list holds each position by itself, so that a single one can be sent to a process.
        self.history = replace(history, positions=list(history.positions))
        self._films: dict[int | None, Film] = {}
        self.title = title or self.film(None).title()
        self.drawings = SharedResults(_DRAWINGS_KEPT)
        self.reviews: dict[str, AgentReview] = {}

    def history_for(self, reader: int | None) -> GameHistory:
        """Return the game with the names as a reader reads them, "you" for the reader's seat."""
        names = self.history.names
        return replace(self.history, names=names and names_for_reader(names, reader))

    def film(self, reader: int | None) -> Film:
        """Return the game as a film for a reader, who has a seat or not."""
        if reader not in self._films:
            self._films[reader] = Film(self.history_for(reader))
        return self._films[reader]

    @cached_property
    def score_sheet(self) -> list[tuple[str, list[int]]]:
        """The final points by source and seat, as people read them."""
        return final_sheet(self.history)


@dataclass(frozen=True)
class _ReviewQuery:
    """A request for a page of a reviewed game.

    Attributes:
        site: The server.
        request: The request.
        reviewed: The game.
        address: The beginning of the paths of all its pages.
        reader: The seat of the person who reads, who is called "you"; None for others.
    """

    site: Site
    request: Request
    reviewed: ReviewedGame
    address: str
    reader: int | None

    @property
    def film(self) -> Film:
        """The game as a film for the reader."""
        return self.reviewed.film(self.reader)

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
        last = len(self.reviewed.history.moves)
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
        game = self.film.game
        name = self.request.query_params.get("agent") or default_agent(game)
        agent = self.site.opponents.agent(name, game.name)
        site = self.site
        new = AgentReview(
            self.reviewed.history, name, agent, site.judge, site.analyses, site.threads
        )
        return self.reviewed.reviews.setdefault(name, new)

    @property
    def seat(self) -> int:
        """The seat under review: the one in the query, the reader's, or the first of a person."""
        given = parse_number(self.request.query_params.get("seat", ""))
        if given is not None and given < self.film.players:
            return given
        if self.reader is not None:
            return self.reader
        return next(iter(self.reviewed.people), 0)


def routes(site: Site) -> list[Route]:
    """Return the routes of the reviews' pages."""
    games = SharedResults(_GAMES_KEPT)

    async def read_query(request: Request) -> _ReviewQuery:
        kind = request.path_params["kind"]
        game_id = request.path_params["id"]
        make = partial(_reviewed_game, site, kind, game_id, viewer_of(request))
        reviewed = await games.get((kind, game_id), make)
        browser = owner_of(request)
        find_reader = partial(_seat_of_reader, site, kind, game_id, browser, reviewed)
        reader = await site.threads.run(viewer_of(request), find_reader)
        # A film takes a while to make. All pages of the reader use it.
        await site.threads.run(viewer_of(request), reviewed.film, reader)
        return _ReviewQuery(site, request, reviewed, f"/review/{kind}/{game_id}", reader)

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
        game_route("/{ply}/choices", on_thread(_choices)),
        game_route("/{ply}/compare", _compare),
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


def _seat_of_reader(
    site: Site, kind: str, game_id: str, browser: str, reviewed: ReviewedGame
) -> int | None:
    """Return the one seat that a browser held at a table, or a person in the browser's own file."""
    if kind == "record":
        seats = reviewed.people if site.store.owns_record(browser, game_id) else []
    else:
        links = site.store.links_of(game_id)
        seats = [seat for link in links if link.is_held_by(browser) for seat in link.seats]
    return seats[0] if len(seats) == 1 else None


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
    film = query.film
    reviewed = query.reviewed
    agent = query.review().name
    link = f"{query.address}/"
    labels = [film.label(seat) for seat in range(film.players)]
    extras = query.site.render(
        "review_extras.html",
        address=query.address,
        agent=agent,
        game=film.game.name,
        graph=score_graph(film, link),
        at=at,
        seat=query.seat,
        labels=labels,
        sheet=reviewed.score_sheet if reviewed.history.is_over else [],
        ranks=final_scores(reviewed.history, labels),
        own_seats=[query.seat],
        is_forecast=film.game.forecast_horizon is not None,
        colours=film.game.presentation.seat_colours,
    )
    seat = query.seat
    board = film.board(at, seat)
    shown = film_player(
        film, extras, source=f"{link}film", link=link, at=at, board=board, seat=seat
    )
    return query.site.page(
        query.request,
        "review.html",
        player=shown,
        title=reviewed.title,
        address=query.address,
        agent=agent,
        seat=query.seat,
        begins="ply" not in query.request.path_params,
    )


async def _film(query: _ReviewQuery) -> Response:
    game = query.reviewed.history_for(query.reader)
    content = await query.drawing(("film", query.reader), partial(_packed_film, game))
    headers = {"Content-Encoding": "gzip", "Cache-Control": "private, max-age=3600"}
    return Response(content, media_type="application/json", headers=headers)


def _packed_film(game: GameHistory) -> Iterator[bytes | None]:
    """Yield the data that `film.js` plays, gzipped, as a job."""
    yield None
    yield gzip.compress(Film(game).data().encode(), 6)


async def _download(query: _ReviewQuery) -> Response:
    run = query.site.threads.run
    review = await run(query.viewer, query.review)
    verdicts = list(review.verdicts.values())
    forecasts = await run(query.viewer, _forecasts, review, query.seat) if verdicts else None
    game = query.reviewed.history
    job = partial(_page_of, game, query.reviewed.title, verdicts, forecasts, query.seat)
    page = await query.drawing(("page", review.name, len(verdicts), query.seat), job)
    name = query.film.game.name
    headers = {"Content-Disposition": f'attachment; filename="{name}-game.html"'}
    return Response(page, media_type="text/html", headers=headers)


def _forecasts(review: AgentReview, reader: int) -> Forecasts:
    """Return a review's forecasts, made by "the computer", as the pages call every judge."""
    return replace(review.forecasts(reader), forecaster="the computer")


def _page_of(
    game: GameHistory,
    title: str,
    verdicts: Sequence[MoveVerdict],
    forecasts: Forecasts | None,
    seat: int,
) -> Iterator[str | None]:
    """Yield a game as a single page, with an agent's verdicts if there are any, as a job."""
    yield None
    film = Film(game)
    if forecasts is None:
        yield film_page(film, title=title)
    else:
        yield mistakes.annotated_page(film, forecasts, verdicts, title, seat)


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
        line, forecasts = await review.best_line(ply, query.seat, query.viewer)
    except JobError as fault:
        raise HTTPException(409, f"{review.name} has failed: {fault}") from fault
    return await run(query.viewer, _line_response, query, review, line, forecasts)


def _line_response(
    query: _ReviewQuery, review: AgentReview, line: GameHistory, forecasts: Forecasts
) -> Response:
    named = replace(line, names=query.reviewed.history_for(query.reader).names)
    film = json.loads(Film(named).data())
    is_solo = query.film.players == 1
    values = forecasts.scores if is_solo else 100 * forecasts.chances
    title = f"Position {query.ply}: the computer would go on as follows."
    return JSONResponse({**film, "title": title, "values": values.round(1).tolist()})


def _choices(query: _ReviewQuery) -> Response:
    """Answer with a position as its decider saw it, as a film, and with the legal moves.

    A move comes with its places on the board and its words.
    """
    film = query.film
    ply = query.ply_to_move
    position = query.reviewed.history.positions[ply]
    decider = position.to_move
    alone = GameHistory([position], [], query.reviewed.history_for(query.reader).names)
    seen = position.seen_by(decider)
    places = position.game.presentation.places
    moves = [
        (move, list(places(seen, move)), capitalised(film.describe_move(ply, move)))
        for move in position.moves()
    ]
    return JSONResponse({"moves": moves, "seen": json.loads(Film(alone, seat=decider).data())})


async def _compare(query: _ReviewQuery) -> Response:
    """Answer with the move that was played and the viewer's guess, compared.

    The best move is told only if the guess is as good, or if there is none.
    """
    run = query.site.threads.run
    ply = query.ply_to_move
    guess = query.request.query_params.get("move", "")
    position = query.reviewed.history.positions[ply]
    if guess and guess not in position.moves():
        raise HTTPException(400, f"{short_repr(guess)} is not legal in this position.")
    review = await run(query.viewer, query.review)
    played = query.reviewed.history.moves[ply]
    try:
        await review.begin(query.viewer)
        verdict = await review.compare(ply + 1, guess or played, query.viewer)
    except JobError as fault:
        raise HTTPException(409, f"{review.name} has failed: {fault}") from fault
    found = verdict.evaluation
    marks = {played: "played"}
    if guess:
        marks[guess] = "played" if guess == played else "your choice"
    guessed = found.worth(guess)
    is_equal = guessed is not None and not guessed.loss.is_clear and guess != played
    is_found = guess == verdict.best or is_equal
    is_told = is_found or not guess
    shown = {*marks, verdict.best} if is_told else {*marks}
    names = query.film.labels
    text = query.site.render(
        "compared.html",
        moves=[worth for worth in found.moves if worth.move in shown],
        position=position,
        names=names,
        marks=marks,
        guess=guess,
        played=played,
        best=verdict.best,
        is_found=is_found,
        is_told=is_told,
        loss=verdict.loss,
        own_loss=guessed.loss if guessed else None,
        in_words=reasons_in_words(position.game, verdict.reasons, verdict.loss, names),
        reasons=verdict.reasons.rows,
    )
    return HTMLResponse(text)


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
    film = query.film
    link = f"{query.address}/"
    seat = query.seat
    own = set(review.decisions_of(seat))

    def draw(verdicts: Sequence[MoveVerdict]) -> list[dict[str, str]]:
        graph = mistakes.chances_graph(film, _forecasts(review, seat), verdicts, link)
        return [
            {"event": "graph", "data": graph},
            {"event": "lessons", "data": mistakes.lessons_list(film, verdicts, seat, link)},
            {"event": "mistakes", "data": mistakes.mistakes_list(film, verdicts, link)},
            {"event": "summary", "data": mistakes.mistakes_summary(film, verdicts, seat)},
        ]

    async def figure_events() -> list[dict[str, str]]:
        verdicts = list(review.verdicts.values())
        make = partial(query.site.threads.run, query.viewer, draw, verdicts)
        return await review.figures.get((len(verdicts), seat, query.reader), make)

    def progress() -> dict[str, str]:
        judged = len(review.verdicts)
        seconds = time.monotonic() - began
        own_left = len(own - review.verdicts.keys())
        left = own_left or len(film) - judged
        is_early = judged - known < _FORECAST_AFTER
        forecast = None if is_early else seconds * left / (judged - known)
        text = query.site.render(
            "review_progress.html",
            judged=judged,
            last=len(film),
            own=len(own),
            own_judged=len(own & review.verdicts.keys()),
            forecast=forecast,
            name=review.name,
            labels=film.labels,
            seat=seat,
        )
        return {"event": "progress", "data": text}

    try:
        await review.begin(query.viewer)
        began = time.monotonic()
        known = len(review.verdicts)
        drawn_at = float("-inf")
        is_ready = False  # whether the browser has been told that the seat's moves are judged
        while review.waiting(seat):
            was_ready = is_ready
            is_ready = own <= review.verdicts.keys()
            if is_ready > was_ready or time.monotonic() - drawn_at > _GRAPHS_EVERY_S:
                for event in await figure_events():
                    yield event
                drawn_at = time.monotonic()
            if is_ready > was_ready:
                yield {"event": "ready", "data": ""}
            yield progress()
            await review.judge_more(seat, query.viewer)
        for event in await figure_events():
            yield event
        if not is_ready:
            yield {"event": "ready", "data": ""}
        yield progress()
    except JobError as fault:
        text = query.site.render("failed.html", name=review.name, fault=fault, remedy=_JUDGE_ON)
        yield {"event": "progress", "data": text}
    yield {"event": "done", "data": ""}
