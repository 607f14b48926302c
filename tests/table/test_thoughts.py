"""What is said at a table of a card or a place, and what an agent thinks, aloud or as it plays."""

import json
import re

import pytest

import shakespeare_agents
from shakespeare_agents.session import choose
from shakespeare_agents.table.live_table import Snapshot
from shakespeare_agents.table.store import SeatPlan, TablePlan
from shakespeare_agents.table.viewer import explained
from shakespeare_env import Position
from shakespeare_env.core import registry
from tests.table.tables import begin, begun, links, moves, play, watching

ASKED = {"agent": "heuristic", "playouts": "256"}


def snapshot(position):
    players = position.players
    seats = tuple(SeatPlan(f"P{seat}") for seat in range(players))
    plan = TablePlan(position.game.name, players, (), 1, seats)
    return Snapshot([position], [], id="t", plan=plan)


def test_names_are_found_whole_or_in_part(client):
    now = snapshot(Position.new("shakespeare", players=2, seed=1))
    assert explained(now, 0, "Lady Macbeth")[0][0] == "lady_macbeth"
    assert "lady_macbeth" in dict(explained(now, 0, "macb"))
    assert [name for name, _ in explained(now, 0, "bag + out")] == ["bag"]
    assert explained(now, 0, "rehearsl")[0][0] == "rehearsal"
    assert explained(now, 0, "seat0.troupe.0")[0][0] == "author"
    assert explained(now, 0, "piles.II.4")[0][0] == "act_ii"
    for nothing in ("", "nobody", "seat9.troupe.1", "seat0.troupe.99", "..", "seats.0.troupe"):
        assert all(text for _, text in explained(now, 0, nothing))
    address = begin(client, seed=2).url.path
    assert "Falstaff" in client.get(f"{address}/explain?name=seat1.troupe.1").text
    assert "Nothing here" in client.get(f"{address}/explain?name=qqq").text


@pytest.mark.parametrize("game", registry.names())
def test_a_table_resumed_goes_on_as_if_it_had_never_stopped(game):
    """What an agent draws depends on the seed and the decision's number alone."""
    position = Position.new(game, players=registry.seats(game)[-1], seed=2)
    one = shakespeare_agents.make("random", position.game)
    drawn = [choose(one, position, 7, number) for number in range(12)]
    assert len(set(drawn)) > 1
    for seed, same in ((7, True), (8, False)):
        anew = (shakespeare_agents.make("random", position.game) for _ in drawn)
        again = [choose(agent, position, seed, number) for number, agent in enumerate(anew)]
        assert (again == drawn) is same


def stream(client, address, number, **said):
    return client.get(f"{address}/thoughts/stream", params={**ASKED, "number": number, **said})


@pytest.mark.parametrize("game", registry.names())
def test_thoughts_come_in_until_the_search_ends(client, game):
    players = registry.seats(game)[0]
    position = Position.new(game, players=players, seed=3)
    page = begin(client, game, ["person"] * players, seed=3)
    mover = next(link for link in links(page) if moves(client.get(link)))
    assert "number=0" in client.get(f"{mover}/thoughts", params=ASKED).text
    text = stream(client, mover, 0).text
    thoughts = text.split("event: thought")[1:]
    assert len(thoughts) > 1
    assert "event: done" in text
    playouts = [int(one.split(" playouts")[0].split(">")[-1]) for one in thoughts]
    assert playouts == sorted(playouts)
    words = [re.split(r"seat \d", position.describe_move(move))[0] for move in position.moves()]
    assert any(before in thoughts[-1] for before in words)  # a name follows


def test_nobody_thinks_for_others(client):
    page = begin(client, seed=4)
    mover, other = sorted(links(page), key=lambda link: not moves(client.get(link)))
    for address in (other, watching(page)):
        assert "not your turn" in client.get(f"{address}/thoughts", params=ASKED).text
        assert stream(client, address, 0).status_code == 409
    before = client.get(mover)
    play(client, mover, before, moves(before)[0])
    assert stream(client, mover, 0).status_code == 409


def test_a_table_of_several_people_can_forbid_it(client):
    assert "quiet" in client.get("/").text
    seats = ["person"] * 3
    mover, other = begun(client, game="figaro", seats=seats, seed=4, quiet="1")
    for address in (mover, other):
        page = client.get(address)
        assert "Nobody thinks aloud at this table" in page.text
        assert 'id="think"' not in page.text
    for refused in (client.get(f"{mover}/thoughts", params=ASKED), stream(client, mover, 0)):
        assert refused.status_code == 403
        assert "forbidden to think aloud" in refused.text
    # Alone with agents there is nobody whom it would disturb.
    alone = begin(client, game="figaro", seats=["person", "random", "random"], seed=4, quiet="1")
    assert 'id="think"' in alone.text


def test_equal_knowledge_gives_equal_thoughts(client):
    position = Position.new("figaro", players=3, seed=5)
    seat = position.to_move
    assert seat is not None
    heard = set()
    for seed in range(3):
        text = json.dumps(position.determinize(seat, seed).to_dict())
        mover, _ = begun(client, game="figaro", seats=["person"] * 3, seed=1, position=text)
        heard.add(stream(client, mover, 0).text)
    assert len(heard) == 1


@pytest.mark.parametrize(
    "said",
    [
        {"agent": "nobody"},
        {"agent": "search,seconds=99999"},
        {"agent": "my.py:A"},
        {"playouts": "9999999"},
    ],
)
def test_what_cannot_be_asked_is_refused(client, said):
    mover, _ = begun(client, seed=6)
    assert client.get(f"{mover}/thoughts", params={**ASKED, **said}).status_code == 400
    assert stream(client, mover, 0, **said).status_code == 400
