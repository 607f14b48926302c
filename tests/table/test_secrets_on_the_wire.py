"""Answers to browsers do not depend on hidden cards, and seeds stay secret."""

import json
import random
import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from shakespeare_env import Position
from shakespeare_env.core.rng import FIRST_FRESH
from shakespeare_env.play.simultaneous import simultaneous_choices
from tests.contract.games import small_games
from tests.table.tables import (
    HOST,
    HTMX,
    begin,
    claim,
    field,
    play,
    seats_of,
    served,
    site_of,
    spectators_address,
    wait_for_page,
)

_STEPS = 6
_TRIES = 20
_IDENTIFIERS = re.compile(r"/(seat|watch|review/table)/[\w-]+")
_BEGINNINGS = [
    ("shakespeare", 3, 0, "seat"),
    ("shakespeare", 4, 150, "seat"),
    ("shakespeare", 3, 9, "spectator"),
    ("shakespeare", 4, 136, "one screen"),
    ("figaro", 6, 148, "seat"),
    ("figaro", 5, 131, "spectator"),
    ("figaro", 3, 92, "one screen"),
    ("hands", 3, 1, "seat"),
    ("facedown", 3, 0, "seat"),
    ("facedown", 3, 1, "spectator"),
    ("bids", 3, 1, "seat"),
]


@pytest.fixture(scope="module", autouse=True)
def _small_games():
    with small_games.registered():
        yield


def without_identifiers(text):
    """Return a text without the random addresses of tables."""
    return _IDENTIFIERS.sub(r"/\1/", text)


def played(game, players, plies):
    """Return a position after some random moves."""
    rng = random.Random(plies)
    on: dict[str, Any] = {"strategic_rest": True} if game == "shakespeare" else {}
    position = Position.new(game, players=players, seed=plies, **on)
    for _ in range(plies):
        position.push(rng.choice(position.moves()))
    return position


def look_alike(one, other, viewer_seat):
    """Return whether a seat, or a spectator (None), cannot tell two positions apart."""
    if None in (one.to_move, other.to_move) or one.seen_by(viewer_seat) != other.seen_by(
        viewer_seat
    ):
        return False
    return (
        viewer_seat is None
        or (one.observation(viewer_seat) == other.observation(viewer_seat)).all()
    )


def swapped(position, viewer_seat):
    """Return a position that differs only in what is hidden."""
    for seed in range(_TRIES):
        other = position
        for seat in range(position.players) if viewer_seat is None else [viewer_seat]:
            other = other.determinize(seat, seed)
        if other.to_dict() != position.to_dict():
            assert look_alike(position, other, viewer_seat)
            return other
    raise AssertionError("nothing is hidden here: choose another position")


def play_alike(rng, pair, viewer_seat):
    """Play a move in each position so that the viewer cannot distinguish them afterwards.

    Secret moves differ.

    Returns:
        The positions after the moves, and the moves; None if there are no such moves.
    """
    one, other = pair
    moves = one.moves()
    rng.shuffle(moves)
    for move in moves:
        is_anothers = one.to_move != viewer_seat
        # In the small games, moves that look alike must be described alike, secret or not.
        is_small = one.game.name in small_games.NAMES
        is_secret = is_anothers and (is_small or one.game.is_secret(one.to_dict(), move))
        other_moves = [each for each in other.moves() if each != move] if is_secret else []
        rng.shuffle(other_moves)
        if move in other.moves():
            other_moves.append(move)
        for other_move in other_moves:
            one_after = one.copy()
            other_after = other.copy()
            one_after.push(move)
            other_after.push(other_move)
            if look_alike(one_after, other_after, viewer_seat):
                return (one_after, other_after), (move, other_move)
    return None


class _Browser:
    """A table, and all answers that its viewer's browser has received."""

    def __init__(self, client, position, viewer_seat, one_screen):
        self._host = TestClient(client.app, HOST)
        self._one_screen = one_screen
        fields = {"position": json.dumps(position.to_dict())}
        fields |= {"one_screen": "1"} if one_screen else {}
        page = begin(self._host, position.game.name, ["person"] * position.players, **fields)
        self._seats = seats_of(self._host, page)
        # The viewer has not begun the table, except on one screen.
        self._client = self._host if one_screen else TestClient(client.app, HOST)
        self.viewer = self._seats[0] if one_screen else spectators_address(page)
        if viewer_seat is not None:
            self.viewer = self._seats[viewer_seat]
            self._host.post(f"{self.viewer}/leave")
            claim(self._client, self.viewer)
        self.sent = []
        self._count = 0
        self._version = "none"
        self.hear(self.viewer)

    def push(self, seat, move, after):
        """Play a move and let the viewer's browser ask what has changed."""
        mover = self.viewer if self._one_screen else self._seats[seat]
        client = self._client if mover == self.viewer else self._host
        number = field(client.get(mover), "number")
        fields = {"move": move, "number": number, "as": str(seat)}
        self._count += 1
        if mover != self.viewer:
            answer = client.post(f"{mover}/play", data=fields, follow_redirects=False)
            assert answer.status_code == 303, answer.text
        else:
            fields["since"] = self._version
            answer = client.post(f"{mover}/play", data=fields, headers=HTMX)
            assert answer.status_code == 200, answer.text
            # A seat on one screen that chooses again sees its own cards.
            if not (self._one_screen and seat in simultaneous_choices(after)):
                self._hear(answer)
        self.hear(f"{self.viewer}/changes?since={self._version}&step=1")

    def hear(self, address):
        """Let the viewer's browser ask for an address."""
        self._hear(self._client.get(address))

    def ask_for_more(self):
        """Ask for each move, the whole page, an illegal move, a move taken back, explanations."""
        for number in range(self._count):
            self.hear(f"{self.viewer}/changes?since={number}.0.0&step=1")
            self.hear(f"{self.viewer}/step?first={number}&last={number}")
        page = self._client.get(self.viewer)
        self._hear(page)
        self._hear(play(self._client, self.viewer, page, "fly:moon"))
        fields = {"undo": "1", "since": self._version}
        self._hear(self._client.post(f"{self.viewer}/play", data=fields, headers=HTMX))
        for name in ("seat0", "seat1.hand", "hand1", "wager", "objective"):
            self.hear(f"{self.viewer}/explain?name={name}")

    def _hear(self, answer):
        self._version = field(answer, "version") or self._version
        headers = dict(answer.headers)
        for of_random_addresses in ("content-length", "set-cookie"):
            headers.pop(of_random_addresses, None)
        self.sent.append((answer.status_code, headers, without_identifiers(answer.text)))


@pytest.mark.parametrize(("game", "players", "plies", "viewer"), _BEGINNINGS)
def test_what_is_hidden_changes_no_byte(client, game, players, plies, viewer):
    position = played(game, players, plies)
    viewer_seat = plies % players if viewer == "seat" else None
    other = swapped(position, viewer_seat)
    # As tables begin, with the same chance to come.
    pair = [Position.from_dict(each.to_dict(), seed=0) for each in (position, other)]
    rng = random.Random(plies)
    tables = [_Browser(client, one, viewer_seat, viewer == "one screen") for one in pair]
    for _ in range(_STEPS):
        found = play_alike(rng, pair, viewer_seat)
        if found is None:
            break
        seat = pair[0].to_move
        pair, moves = found
        for table, move, after in zip(tables, moves, pair, strict=True):
            table.push(seat, move, after)
    assert len(tables[0].sent) > 2, "the viewer learns something at once: choose another position"
    for table in tables:
        table.ask_for_more()
    assert tables[0].sent == tables[1].sent


@pytest.mark.parametrize("viewer", ["seat", "spectator"])
def test_others_see_that_a_seat_has_chosen_and_not_what(client, viewer):
    """The seat chooses before the rules ask it."""
    position = played("shakespeare", 3, 3)
    first, seat, chosen_last = simultaneous_choices(position)
    viewer_seat = first if viewer == "seat" else None
    tables = [_Browser(client, position, viewer_seat, False) for _ in "ab"]
    for table, move in zip(tables, ("wager:1", "wager:5"), strict=True):
        table.push(seat, move, position)
        assert f"P{seat} has chosen" in table.sent[-1][2]
        table.push(chosen_last, "wager:2", position)
        table.ask_for_more()
    assert tables[0].sent == tables[1].sent


_CARELESS = """
import numpy as np

class Tells:
    def __init__(self, game): pass
    def act(self, observations, masks, rng): raise KeyError(str(observations.tolist()))

class Cheats:
    def __init__(self, game): pass
    def act(self, observations, masks, rng): return np.argmin(masks, 1)
"""


_SAYS = {"Tells": "KeyError in mine.py, line 6", "Cheats": "is not legal"}


def test_the_message_about_a_failed_agent_does_not_reveal_its_hand(tmp_path, capfd):
    (tmp_path / "mine.py").write_text(_CARELESS)
    names = tuple(f"{tmp_path}/mine.py:{agent}" for agent in _SAYS)
    beginning = Position.new("figaro", players=3, seed=2)
    while beginning.to_move != 1:
        beginning.push(beginning.moves()[0])
    with served(tmp_path, agents=names) as client:
        for agent, says in _SAYS.items():
            sent = []
            for position in (beginning, swapped(beginning, 0)):
                fields = {"position": json.dumps(position.to_dict())}
                seats = ["person", f"mine.py:{agent}", "random"]
                page = begin(client, "figaro", seats, **fields)
                wait_for_page(client, page.url.path, lambda page, says=says: says in page.text)
                sent.append(without_identifiers(client.get(page.url.path).text))
            assert sent[0] == sent[1]
    assert "KeyError: '[[" in capfd.readouterr().err


def test_a_typed_seed_is_warned_of_where_several_people_play(client):
    for typed, seats, warned in (
        ("76543", ["person"] * 3, True),
        ("", ["person"] * 3, False),
        ("76543", ["person", "random", "random"], False),
    ):
        page = begin(client, "figaro", seats, typed)
        for link in seats_of(client, page):
            assert ('id="known-seed"' in client.get(link).text) is warned
        stored = site_of(client).store.table(spectators_address(page).removeprefix("/watch/"))
        assert stored is not None
        assert (stored.plan.seed < FIRST_FRESH) is bool(typed)
