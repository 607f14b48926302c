"""Thinking aloud: for whoever decides, from what its seat may know, until the search ends."""

import json

import pytest

from shakespeare_env import Position, registry
from tests.table.tables import begin, field, links, moves, play, served, watching

ASKED = {"agent": "heuristic", "playouts": "256"}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with served(tmp_path_factory.mktemp("games")) as found:
        yield found


def stream(client, address, number, **said):
    return client.get(f"{address}/thoughts/stream", params={**ASKED, "number": number, **said})


@pytest.mark.parametrize("game", registry.names())
def test_thoughts_come_in_until_the_search_ends(client, game):
    players = registry.seats(game)[0]
    page = begin(client, game, ["person"] * players, seed=3)
    mover = next(link for link in [page.url.path, *links(page)] if moves(client.get(link)))
    asked = client.get(f"{mover}/thoughts", params=ASKED)
    assert f"number={field(page, 'number')}" in asked.text
    told = stream(client, mover, 0).text
    thoughts = told.split("event: thought")[1:]
    assert len(thoughts) > 1
    assert "event: done" in told
    assert "playouts" in thoughts[-1]
    playouts = [int(text.split(" playouts")[0].split(">")[-1]) for text in thoughts]
    assert playouts == sorted(playouts)
    position = Position.new(game, players=players, seed=3)
    assert any(position.describe_move(move) in thoughts[-1] for move in position.moves())


def test_nobody_thinks_for_others(client):
    page = begin(client, seed=4)
    mover = next(link for link in links(page) if moves(client.get(link)))
    other = next(link for link in links(page) if link != mover)
    for address in (other, watching(page)):
        assert "not your turn" in client.get(f"{address}/thoughts", params=ASKED).text
        assert stream(client, address, 0).status_code == 409
    before = client.get(mover)
    play(client, mover, before, moves(before)[0])
    assert stream(client, mover, 0).status_code == 409


def test_equal_knowledge_gives_equal_thoughts(client):
    position = Position.new("figaro", players=3, seed=5)
    seat = position.to_move
    assert seat is not None
    told = set()
    for seed in range(3):
        start = position.determinize(seat, seed)
        text = json.dumps(start.to_dict())
        page = begin(client, "figaro", ["person"] * 3, seed=1, position=text)
        mover = next(link for link in links(page) if moves(client.get(link)))
        told.add(stream(client, mover, 0).text)
    assert len(told) == 1


@pytest.mark.parametrize(
    ("said", "status"),
    [({"agent": "nobody"}, 400), ({"agent": "my.py:A"}, 400), ({"playouts": "9999999"}, 400)],
)
def test_what_cannot_be_asked_is_refused(client, said, status):
    page = begin(client, seed=6)
    mover = next(link for link in links(page) if moves(client.get(link)))
    assert client.get(f"{mover}/thoughts", params={**ASKED, **said}).status_code == status
    assert stream(client, mover, 0, **said).status_code == status
