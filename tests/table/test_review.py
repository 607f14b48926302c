"""The review of finished games: positions, films, verdicts, and playing on."""

import asyncio
import gzip
import json
import re
import time
from codecs import BOM_UTF8
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from html import unescape
from threading import Event
from typing import Any, NamedTuple
from unittest.mock import AsyncMock
from urllib.parse import parse_qs, urlsplit

import pytest

from shakespeare_env import Position
from shakespeare_env.film import Film
from shakespeare_env.play.history import GameHistory
from shakespeare_table.analysis import judging, mistakes
from shakespeare_table.analysis.analyst import Analyst
from shakespeare_table.browser import review
from shakespeare_table.browser.judging.background import BackgroundJudge, Decision
from shakespeare_table.browser.opponents import default_agent
from shakespeare_table.browser.processes import AgentProcess
from shakespeare_table.browser.storage.plan import Occupant, TablePlan
from shakespeare_table.browser.tables.state import TableState, first_state, result_of
from shakespeare_table.recorded import to_json_lines
from tests.agents.sessions import played_session
from tests.table.tables import (
    HTMX,
    PATIENCE,
    begin,
    begun,
    events,
    field,
    moves,
    play,
    served,
    site_of,
    spectators_address,
    text_of,
    wait_for_page,
)

JUDGE = "search,rollouts=heuristic,simulations=8"
NAMES = ["Ann", "Ben", "Cora"]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with served(tmp_path_factory.mktemp("served"), agents=(JUDGE,)) as client:
        yield client


@pytest.fixture(scope="module")
def recorded():
    return played_session("figaro", 3, 30, names=NAMES).history


@pytest.fixture(scope="module")
def game_lines(recorded, tmp_path_factory):
    """Return the game as JSON lines."""
    path = tmp_path_factory.mktemp("game") / "game.jsonl"
    path.write_bytes(to_json_lines(recorded))
    return path.read_bytes()


@pytest.fixture(scope="module")
def lines(game_lines):
    """Return the JSON lines of the first moves of the game."""
    return b"\n".join(game_lines.split(b"\n")[:9])


@pytest.fixture(scope="module")
def game(client, game_lines):
    """Upload the game and return the address of its review."""
    return upload(client, game_lines).url.path


def upload(client, lines, **options):
    return client.post("/review", files={"file": ("game.jsonl", lines)}, **options)


def test_a_recorded_game_has_a_page_for_every_position(client, recorded, game):
    film = Film(recorded)
    for at in (0, 5, len(recorded.moves)):
        page = client.get(f"{game}/{at}")
        assert page.status_code == 200
        assert f'data-at="{at}"' in page.text
        assert film.board(at, 0) in page.text
        assert film.progress(at) in text_of(page)
    assert client.get(game).text.count('data-ply="') == len(recorded.moves)


def test_a_position_or_game_that_does_not_exist_is_not_found(client, recorded, game):
    for nowhere in (len(recorded.moves) + 1, "²", "9" * 5000, "end"):
        beyond = client.get(f"{game}/{nowhere}")
        assert beyond.status_code == 404
        assert f"numbered 0 to {len(recorded.moves)}" in text_of(beyond)
    for address in ("table/nothing", "record/nothing", "other/1"):
        assert client.get(f"/review/{address}").status_code == 404


def test_the_script_gets_the_film_of_a_game(client, recorded, lines):
    found = client.get(f"{upload(client, lines).url.path}/film")
    assert found.headers["content-encoding"] == "gzip"
    assert found.json() == json.loads(Film(recorded.up_to(8)).data())


def test_a_position_is_kept_as_a_picture(client, game):
    assert client.get(f"{game}/7/picture.png").content.startswith(b"\x89PNG")


def test_a_game_is_drawn_once_for_all_viewers(client, lines, monkeypatch):
    another = lines + b"\n"  # one that no other test has had drawn
    answer = upload(client, another, follow_redirects=False)
    address = answer.headers["location"]
    drawings: Any = site_of(client).drawings
    result = drawings.result
    drawn = Counter[str]()

    async def counted(job, viewer):
        drawn[job.func.__name__] += 1
        return await result(job, viewer)

    monkeypatch.setattr(drawings, "result", counted)
    paths = [address, f"{address}/film", f"{address}/page", f"{address}/2/picture.png"]
    with ThreadPoolExecutor(12) as threads:
        answers = list(threads.map(client.get, 3 * paths))
    assert {page.status_code for page in answers} == {200}
    assert len(drawn) == len(paths)  # each address needs one job
    assert set(drawn.values()) == {1}


def test_nothing_is_drawn_for_a_browser_that_has_left(client, lines, monkeypatch):
    another = lines + b"\n\n"  # one that no other test has had drawn
    address = upload(client, another).url.path
    begun = []
    given_up = []

    async def endless(job, _viewer):
        begun.append(job)
        try:
            await asyncio.Event().wait()
        finally:
            given_up.append(job)

    monkeypatch.setattr(site_of(client).drawings, "result", endless)

    async def leave():
        async def receive():
            if not begun:
                await asyncio.sleep(0.01)
                return {"type": "http.request"}
            return {"type": "http.disconnect"}

        scope = {
            "type": "http",
            "method": "GET",
            "path": f"{address}/film",
            "query_string": b"",
            "headers": [(b"host", b"127.0.0.1:7764")],
            "server": ("127.0.0.1", 7764),
            "client": ("192.0.2.1", 1),
        }
        await asyncio.wait_for(client.app(scope, receive, AsyncMock()), 10)

    client.portal.call(leave)
    assert len(begun) == len(given_up) == 1


def test_a_game_that_is_too_long_is_refused(client, lines, monkeypatch):
    monkeypatch.setattr(review, "MAX_MOVES", 7)
    assert "has 8 moves; a review takes 7 at most" in text_of(upload(client, lines))


def test_a_game_is_uploaded_as_a_file_edited_or_gzipped(client, lines):
    edited = BOM_UTF8 + lines.replace(b"\n", b"\r\n") + b"\r\n\r\n"
    for given in (edited, gzip.compress(lines)):
        page = upload(client, given)
        assert re.fullmatch(r"/review/record/[\w-]{16,}", page.url.path)
        assert 'data-last="8"' in page.text


def test_a_game_is_kept_once_and_listed_for_its_owner_alone(client, lines):
    address = upload(client, lines).url.path
    assert upload(client, lines).url.path == address
    assert address in client.get("/review").text
    client.cookies.clear()  # somebody else's browser
    assert address not in client.get("/review").text


@pytest.mark.parametrize("given", [b"", b"7", b"hop", b"\x1f\x8bnothing", None])
def test_a_file_that_holds_no_game_is_refused(client, lines, given):
    wrong = lines.replace(b'"move":"', b'"move":"no', 1) if given is None else given
    page = upload(client, wrong)
    assert page.status_code == 422
    assert 'role="alert">' in page.text


def test_a_game_in_progress_cannot_be_reviewed(client):
    page = begin(client, "figaro", ("person", "random", "random"), seed=3)
    table = spectators_address(page).removeprefix("/watch/")
    for suffix in ("", "/0", "/film", "/page", "/analysis", "/0/on", "/0/line", "/0/picture.png"):
        refused = client.get(f"/review/table/{table}{suffix}")
        assert refused.status_code == 403
        assert "still being played" in text_of(refused)
    assert table not in client.get("/review").text


class FinishedTable(NamedTuple):
    """A table whose game is over: its states, the address of its review, and seat 0's link."""

    game: TableState
    address: str
    link: str


@pytest.fixture
def finished(client):
    seats = (Occupant("A", "heuristic"), Occupant("B"), Occupant("C", "network"))
    plan = TablePlan("figaro", 3, (), 5, seats)
    game = first_state(plan)
    while not game.is_over:
        game = game.pushed(game.position.moves()[0])
    client.get("/")
    store = site_of(client).store
    owner = client.cookies["shakespeare_owner"]
    table, (link,) = store.new_table(owner, plan, [[1]], [owner])
    store.keep_moves(table, 0, game.moves, {}, result_of(game))
    return FinishedTable(game, f"/review/table/{table}", f"/seat/{link}")


SAME_SEATS = ["figaro", "heuristic", "person", "network"]
"""What the lobby's form chooses for a table with the same seats."""


def chosen(form):
    return re.findall(r'<option value="([^"]*)" selected', form.text)


def test_a_finished_table_is_reviewed(client, finished):
    game = finished.game
    last = len(game.moves)
    assert finished.address in client.get("/review").text
    page = client.get(f"{finished.address}/{last}")
    assert f'data-last="{last}"' in page.text
    film = Film(GameHistory(game.positions, game.moves, ["A", "you", "C"]))
    assert film.board(last, game.plan.people[0]) in page.text


def test_a_position_of_a_finished_table_can_be_played_on(client, finished):
    form = client.get(f"{finished.address}/7/on")
    (text,) = parse_qs(urlsplit(str(form.url)).query)["position"]
    assert Position.from_dict(json.loads(text)) == finished.game.positions[7]
    assert chosen(form) == SAME_SEATS


def test_a_finished_table_offers_another_one_with_the_same_seats(client, finished):
    again = re.search(r'href="(/\?game[^"]*)"', client.get(finished.link).text)
    assert again
    assert chosen(client.get(unescape(again[1]))) == SAME_SEATS


def judged(client, address):
    return events(client.get(f"{address}/analysis", params={"agent": JUDGE}))


def text_in(found):
    return " ".join(data for _, data in found)


def test_verdicts_arrive_while_a_browser_listens(client, lines):
    address = upload(client, lines).url.path
    found = judged(client, address)
    streamed = ["graph", "lessons", "mistakes", "summary", "progress"]
    assert [event for event, _ in found[:5]] == streamed
    assert found[-1] == ("done", "")
    assert ("ready", "") in found
    values = [int(n) for n in re.findall(r'max="8" value="(\d+)"', unescape(text_in(found)))]
    assert values == sorted(set(values))
    assert "all 8 decisions" in json.dumps(found)
    assert judged(client, address)[-2] == found[-2]  # another viewer gets all verdicts at once


def test_a_reviews_verdicts_and_lines_are_kept_for_the_next_viewer(client, lines, monkeypatch):
    address = upload(client, lines).url.path
    judged(client, address)
    better = client.get(f"{address}/2/line", params={"agent": JUDGE})
    assert better.status_code == 200
    again = Counter[str]()
    result = site_of(client).analyses.result

    async def counted(job, viewer):
        again["analysis"] += 1
        return await result(job, viewer)

    def graph(*_arguments):
        again["graph"] += 1
        return ""

    monkeypatch.setattr(site_of(client).analyses, "result", counted)
    monkeypatch.setattr(mistakes, "chances_graph", graph)
    assert client.get(f"{address}/2/line", params={"agent": JUDGE}).text == better.text
    assert judged(client, address)[-1] == ("done", "")
    assert not again


def test_a_judged_game_is_downloaded_with_its_verdicts(client, lines):
    address = upload(client, lines).url.path
    drawn = " ".join(data for _, data in judged(client, address))
    shared = client.get(f"{address}/page", params={"agent": JUDGE})
    assert "attachment" in shared.headers["content-disposition"]
    for part in ("film-chances", "film-mistakes", "film-summary"):
        assert f'class="{part}"' in drawn
        assert f'class="{part}"' in shared.text


@pytest.mark.parametrize("agent", ["nobody", "my.py:NAME"])
def test_an_agent_that_is_not_offered_judges_nothing(client, game, agent):
    assert client.get(game, params={"agent": agent}).status_code == 400


def test_the_decisions_of_the_viewers_seat_are_judged_first(client, recorded, lines, monkeypatch):
    address = upload(client, lines).url.path
    numbers = []
    result = site_of(client).analyses.result

    async def noted(job, viewer):
        if job.args[0].func is judging.judge_decision:
            numbers.append(job.args[0].args[2])
        return await result(job, viewer)

    monkeypatch.setattr(site_of(client).analyses, "result", noted)
    seat = recorded.positions[5].to_move
    client.get(f"{address}/analysis", params={"agent": "heuristic", "seat": seat})
    own = [number for number in range(8) if recorded.positions[number].to_move == seat]
    assert numbers[: len(own)] == own
    assert sorted(numbers) == list(range(8))


def test_a_guess_is_compared_with_the_move_that_was_played(client, recorded, lines):
    address = upload(client, lines).url.path
    choices = client.get(f"{address}/5/choices").json()["moves"]
    position = recorded.positions[5]
    assert [move for move, _, _ in choices] == position.moves()
    guesses = [move for move in position.moves() if move != recorded.moves[5]]
    wrong = []
    equal = []
    for move in (*guesses, recorded.moves[5], ""):
        asked = {"agent": JUDGE, "move": move}
        answer = client.get(f"{address}/5/compare", params=asked)
        compared = text_of(answer)
        assert "(played)" in compared
        assert ("(your choice)" in compared) == (move in guesses)
        is_told = "data-better" in answer.text
        if "Not that one" in compared:
            wrong.append(move)
            assert not is_told
            # The viewer may try again: only the two moves that are known are compared.
            assert answer.text.count('<th scope="row">') == 2
            assert re.search(r"more (games )?\(± [\d.]+.*\) than “", compared)
        else:
            assert is_told == (move != recorded.moves[5])
            equal += [move] * ("As good as the best" in compared)
    assert wrong
    assert equal  # nothing clearly better is known
    asked = {"agent": JUDGE, "move": "nothing"}
    assert client.get(f"{address}/5/compare", params=asked).status_code == 400


def test_a_puzzle_shows_what_the_decider_saw(client):
    """The others' wagers, for one, are a secret until all have wagered."""
    played = played_session("shakespeare", 3, 12, names=NAMES)
    at = [number for number, before in enumerate(played.positions) if before.phase == "wager"][-1]
    position = played.positions[at]
    decider = position.to_move
    address = upload(client, to_json_lines(played.history)).url.path
    seen = client.get(f"{address}/{at}/choices").json()["seen"]
    alone = GameHistory([position], [], NAMES)
    assert seen == json.loads(Film(alone, seat=decider).data())
    assert seen["pieces"] != json.loads(Film(alone).data())["pieces"]


def test_you_are_you_to_yourself_alone(client, finished):
    """The name stands in the pages of everybody else, and in the page to share."""
    address = finished.address
    own = client.get(address)
    assert '<option value="1" selected>You</option>' in own.text
    told = client.get(f"{address}/film").json()["told"]
    assert {move["who"] for move in told} == {"A", "You", "C"}
    shared = client.get(f"{address}/page").text
    assert "<b>B</b>" in shared
    assert "<b>You</b>" not in shared
    client.cookies.clear()  # somebody else's browser
    assert '<option value="1" selected>B</option>' in client.get(address).text
    told = client.get(f"{address}/film").json()["told"]
    assert {move["who"] for move in told} == {"A", "B", "C"}


def test_whoever_has_uploaded_a_game_of_their_own_is_you_in_it(client, recorded):
    address = upload(
        client, to_json_lines(replace(recorded, names=["Ann", "you", "Cora"]))
    ).url.path
    assert '<option value="1" selected>You</option>' in client.get(address).text
    client.cookies.clear()
    page = client.get(address)
    assert '<option value="1" selected>Player 1</option>' in page.text
    assert "You" not in {move["who"] for move in client.get(f"{address}/film").json()["told"]}


def test_a_review_has_the_score_sheet_of_the_games_end(client, finished):
    def sheet(page):
        table = page.text[page.text.index('class="table-wrap score-sheet"') :]
        return re.findall(r">([^<>]+)</(?:th|td|strong)>", table[: table.index("</table>")])

    assert sheet(client.get(finished.address)) == sheet(client.get(finished.link))


def verdict_on(decision):
    """Return the verdict on a decision after a few playouts."""
    analyst = Analyst(decision.position.game, decision.agent)
    return judging.judge_decision(
        decision.position, decision.move, decision.number, analyst, playouts=32
    )


def pages_of_a_game_in_progress(folder, is_judged):
    """Play some moves of a seeded table; return every answer about it, and the review's."""
    with served(folder) as client:
        page = begin(client, "figaro", ("person", "random", "random"), seed=8)
        seat = page.url.path
        site = site_of(client)
        for _ in range(2):
            page = wait_for_page(client, seat, moves)
            play(client, seat, page, moves(page)[-1])
        wait_for_page(client, seat, moves)
        table = site.tables.get(spectators_address(page).removeprefix("/watch/"))
        assert table is not None
        state = table.state()
        agent = default_agent(state.position.game)
        own = [k for k, before in enumerate(state.positions[:-1]) if before.to_move == 0]
        decisions = [Decision(state.positions[k], state.moves[k], k, agent) for k in own]
        if is_judged:
            for decision in decisions:
                site.judge.keep(decision, verdict_on(decision))
        number = str(len(state.moves))
        question = {"agent": agent, "playouts": "256", "number": number}
        answers = [
            client.get(path, params=query)
            for path, query in [
                ("/", {}),
                ("/review", {}),
                (seat, {}),
                (f"{seat}/changes", {"since": "0.0.0"}),
                (f"{seat}/hint", {"agent": agent}),
                (f"{seat}/thoughts/stream", question),
                (f"/watch/{state.id}", {}),
                (f"/watch/{state.id}/changes", {"since": "0.0.0"}),
                (f"/review/table/{state.id}", {}),
                (f"/review/table/{state.id}/analysis", {}),
            ]
        ]
        return [re.sub(r"[\w-]{22}", "", answer.text) for answer in answers]


def test_nothing_of_a_verdict_is_shown_before_the_game_ends(tmp_path, monkeypatch):
    """Answers are the same whether decisions have been judged or not, so they cannot tell."""
    judged = pages_of_a_game_in_progress(tmp_path / "judged", is_judged=True)

    def refuse(*_arguments):
        raise AssertionError("a page of a game in progress asked for a verdict")

    monkeypatch.setattr(BackgroundJudge, "add", lambda *_arguments: None)
    monkeypatch.setattr(BackgroundJudge, "verdict", refuse)
    unjudged = pages_of_a_game_in_progress(tmp_path / "unjudged", is_judged=False)
    assert judged == unjudged
    assert "still being played" in unjudged[-1]


def test_verdicts_found_during_the_game_are_ready_after_a_restart(tmp_path, finished_plan):
    with served(tmp_path) as client:
        judge = site_of(client).judge
        table = first_state(finished_plan)
        agent = default_agent(table.position.game)
        move = table.position.moves()[0]
        seat = table.position.to_move
        assert seat is not None
        assert table.plan.seats[seat].agent is None
        judge.add(table, move)
        decision = Decision(table.position, move, 0, agent)
        while (verdict := judge.verdict(decision)) is None:
            time.sleep(0.1)
        other = Decision(table.position.determinize(seat, 3), move, 0, agent)
        assert judge.verdict(other) == verdict  # it rests on what the seat knew
        # A verdict goes on from the playouts of a hint.
        site_of(client).known.of(table.position, agent).keep(b"playouts")
        assert judge.analysis(decision).keywords["stored"] == b"playouts"
    with served(tmp_path) as client:
        again = site_of(client).judge.verdict(decision)
        assert again is not None
        assert again == replace(verdict, stored=b"")


@pytest.mark.parametrize("what", ["agent_digest", "source_digest"])
def test_a_verdict_counts_only_while_agent_and_code_stay_the_same(
    tmp_path, finished_plan, monkeypatch, what
):
    """Losses by earlier rules of judging are not shown after an update."""
    table = first_state(finished_plan)
    agent = default_agent(table.position.game)
    decision = Decision(table.position, table.position.moves()[0], 0, agent)
    with served(tmp_path) as client:
        judge = site_of(client).judge
        judge.keep(decision, verdict_on(decision))
        assert judge.verdict(decision) is not None
        with monkeypatch.context() as changed:
            changed.setattr(judging, what, lambda *_facts: "another one")
            judging.judge_digest.cache_clear()
            assert judge.verdict(decision) is None
        judging.judge_digest.cache_clear()
        assert judge.verdict(decision) is not None


def test_taking_a_move_back_deletes_its_verdict(tmp_path):
    with served(tmp_path) as client:
        site = site_of(client)
        mover, _ = begun(client, game="figaro", seats=("person",) * 3)
        page = client.get(mover)
        move = moves(page)[0]
        table = site.tables.get(spectators_address(page).removeprefix("/watch/"))
        assert table is not None
        before = table.state()
        decision = Decision(before.position, move, 0, default_agent(before.position.game))
        after = play(client, mover, page, move)
        site.judge.keep(decision, verdict_on(decision))
        assert site.judge.verdict(decision) is not None
        undo = {"undo": "1", "number": field(after, "number"), "since": field(after, "version")}
        assert client.post(f"{mover}/play", data=undo, headers=HTMX).status_code == 200
        assert table.state().moves == []
        assert site.judge.verdict(decision) is None
        assert site.store.verdict(decision.key) is None


def test_a_decision_that_is_taken_back_before_its_verdict_gets_none(
    tmp_path, finished_plan, monkeypatch
):
    table = first_state(finished_plan)
    agent = default_agent(table.position.game)
    being_judged, waiting, kept = table.position.moves()[:3]
    verdict = verdict_on(Decision(table.position, kept, 0, agent))
    is_judged = Event()
    is_taken_back = Event()

    def run_and_wait(_process, _job, _limit):
        is_judged.set()
        assert is_taken_back.wait(PATIENCE)
        yield verdict

    with served(tmp_path) as client:
        monkeypatch.setattr(AgentProcess, "run", run_and_wait)
        judge = site_of(client).judge
        for move in (being_judged, waiting, kept):
            judge.add(table, move)
        assert is_judged.wait(PATIENCE)
        judge.forget(table, being_judged)
        judge.forget(table, waiting)
        is_taken_back.set()
        while judge.verdict(Decision(table.position, kept, 0, agent)) is None:
            time.sleep(0.02)
        for move in (being_judged, waiting):
            assert judge.verdict(Decision(table.position, move, 0, agent)) is None


@pytest.fixture
def finished_plan():
    return TablePlan("figaro", 3, (), 5, (Occupant("A"), Occupant("B"), Occupant("C")))
