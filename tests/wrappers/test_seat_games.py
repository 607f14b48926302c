"""One seat of many games: what the learner is shown, what it is paid, and who plays the others."""

from __future__ import annotations

import copy
from collections import Counter
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from shakespeare_env import IllegalMove
from shakespeare_env.rewards import NAMES
from shakespeare_env.wrappers.seat_games import SeatGames
from tests.contract.batches import assert_unchanged, snapshot
from tests.contract.random_games import differing_fields, record_of, stacked
from tests.wrappers.lives import BySight, Life, learn

MIXED = (1, 2, 3, 4, 4, 3, 2)
SIZES = {"1": [1], "2": [2], "4": [4], "3": [3], "7x4": [4] * 7, "mixed": list(MIXED)}
GAMES_IN_A_ROW = 3


def make(n=5, players=4, seed=0, **arguments):
    return SeatGames(n=n, players=players, seed=seed, **arguments)


def play(games, steps, *, restart=True):
    """Play with a learner that goes by what it sees; yields what there is to be seen."""
    for _ in range(steps):
        yield games.batch.obs.tobytes(), games.batch.mask.tobytes(), games.seats.tolist()
        step = games.step(learn(games.batch.obs, games.action_masks()))
        yield step.rewards.tobytes(), step.ended.tolist(), step.illegal.tolist()
        if restart:
            games.restart(np.flatnonzero(step.ended))


def played(games, steps):
    for _ in play(games, steps):
        pass
    return games


def an_illegal(games, row):
    return int(np.flatnonzero(~games.batch.mask[row])[0])


def legal(games):
    return learn(games.batch.obs, games.action_masks())


# ------------------------------------------------------------------------- the games and their pay


@pytest.mark.parametrize("reward", NAMES)
@pytest.mark.parametrize("seat", [None, 0, "last"])
@pytest.mark.parametrize("players", SIZES.values(), ids=list(SIZES))
def test_every_row_is_the_life_of_one_player(players, seat, reward):
    """Games in which one decides after the other show the same views and pay the same."""
    n = len(players)
    seat = min(players) - 1 if seat == "last" else seat
    opponents = [BySight(salt) for salt in (1, 2, 3)]
    alike = len(set(players)) == 1
    games = make(
        n,
        players,
        seed=17,
        seat=seat,
        reward=reward,
        opponents=opponents[: players[0] - 1] if alike else opponents[0],
        threads=2 if reward == "win" else 1,
    )
    if not alike:
        opponents = opponents[:1] * 3
    lives = [Life(row, players, 17, seat, opponents, reward) for row in range(n)]
    ended = np.zeros(n, np.int64)
    paid = 0.0
    while ended.min() < GAMES_IN_A_ROW:
        for row, life in enumerate(lives):
            assert games.seats[row] == life.learner == games.batch.to_move[row]
            assert games.batch.obs[row].tobytes() == life.game.obs[0].tobytes()
            assert games.batch.mask[row].tobytes() == life.game.mask[0].tobytes()
        actions = legal(games)
        step = games.step(actions)
        expected = [life.step(int(action)) for life, action in zip(lives, actions, strict=True)]
        np.testing.assert_allclose(step.rewards, [reward for reward, _ in expected], atol=1e-6)
        assert step.ended.tolist() == games.over.tolist() == [over for _, over in expected]
        assert not step.illegal.any()
        ended += step.ended
        paid += abs(step.rewards).sum()
        rows = np.flatnonzero(step.ended)
        scores, winners = games.results(rows)
        for place, row in enumerate(rows.tolist()):
            assert (scores[place] == lives[row].game.final_scores[0]).all()
            assert (winners[place] == lives[row].game.final_winners[0]).all()
            seen = lives[row].game.observe([lives[row].learner])
            assert games.observe(rows)[place].tobytes() == seen.tobytes()
        games.restart(rows)
        for row in rows.tolist():
            lives[row].restart()
    assert paid > 0


def test_all_games_that_wait_for_an_agent_are_asked_about_in_one_call():
    """And about no others: the learner's own turns are none of its business."""
    one, same = BySight(1), BySight(1)
    games = make(6, 4, seed=3, opponents=one)
    lives = [Life(row, [4] * 6, 3, None, [same] * 3, "win") for row in range(6)]
    for _ in range(80):
        one.asked.clear()
        actions = legal(games)
        step = games.step(actions)
        for life, action in zip(lives, actions, strict=True):
            life.step(int(action))
        waited = [life.others for life in lives]
        assert one.asked == [sum(count > turn for count in waited) for turn in range(max(waited))]
        rows = np.flatnonzero(step.ended)
        games.restart(rows)
        for row in rows.tolist():
            lives[row].restart()


def paying(games):
    """Let every action played in a game from now on pay each seat 1, and count them."""
    batch, step = games.batch, games.batch.step
    count = np.zeros(batch.n)

    def pay(actions, rows):
        step(actions, rows)
        batch.rewards[rows] = 1.0
        count[rows] += 1
        return batch.rewards, batch.done

    batch.step = pay
    return count


def test_what_falls_due_before_the_first_decision_is_paid_with_it():
    games = make(8, 4, seed=5)
    played(games, 3)
    count = paying(games)
    games.reset(5)
    assert count.max() > 0
    for _ in range(3):
        step = games.step(legal(games))
        assert step.rewards.tolist() == count.tolist()
        count[:] = 0
    games.step(legal(games))
    count[:] = 0
    games.restart([1, 2, 3])
    count[[0, 4, 5, 6, 7]] = 0
    assert count.max() > 0
    step = games.step(legal(games))
    assert step.rewards.tolist() == count.tolist()


def test_a_game_that_ends_before_the_learner_decides_is_none_of_its_games():
    last = before_the_end(make(1, 4, opponents=first_legal))
    seat = (int(last["to_move"]) + 1) % 4
    games = make(3, 4, seed=6, seat=seat, opponents=first_legal)
    restart, begun = games.batch.restart, []

    def begin(rows):
        restart(rows)
        begun.append(list(rows))
        if len(begun) == 1:
            games.batch.load(rows, stacked([last]))

    games.batch.restart = begin
    count = paying(games)
    games.restart([1])
    assert begun == [[1], [1]]
    assert games.batch.to_move.tolist() == [seat] * 3
    assert not games.over.any()
    # The one action that ended the lost game is not paid for.
    count[1] -= 1
    assert games.step(legal(games)).rewards.tolist() == count.tolist()


def before_the_end(games):
    """The record of the last decision of a game."""
    batch = games.batch
    while batch.to_move[0] >= 0:
        record = record_of(batch, 0)
        batch.step(first_legal(batch.obs, batch.mask, None))
    return record


def first_legal(observations, masks, rng):
    return masks.argmax(axis=1)


# --------------------------------------------------------------------------------- who sits where


class Named:
    """Writes down whenever it is asked, with the seat it is asked for."""

    def __init__(self, name, table):
        self.name, self.table, self._play = name, table, BySight(len(name)).act

    def act(self, observations, masks, rng):
        if "games" in self.table:
            games = self.table["games"]
            self.table["asked"].append((self.name, int(games.batch.to_move[0])))
        return self._play(observations, masks, rng)


def seen_at_the_table(names, opponents_of, *, games, **arguments):
    """[(learner's seat, {seat: names of those asked for it})], game by game, of one table."""
    table: dict[str, Any] = {"asked": []}
    players = {name: Named(name, table) for name in names}
    row = make(1, seed=8, opponents=opponents_of(players), **arguments)
    table["games"] = row
    row.reset(8)
    found = []
    for _ in range(games):
        while not row.step(legal(row)).ended[0]:
            pass
        seats: dict[int, set[str]] = {}
        for name, seat in table["asked"]:
            seats.setdefault(seat, set()).add(name)
        found.append((int(row.seats[0]), seats))
        table["asked"].clear()
        row.restart([0])
    return found


def test_a_sequence_sits_in_order_after_the_learner():
    found = seen_at_the_table(
        "abc", lambda players: [players["a"], players["b"], players["c"]], games=8
    )
    assert [learner for learner, _ in found] == [0, 1, 2, 3, 0, 1, 2, 3]
    for learner, seats in found:
        assert seats == {(learner + 1 + place) % 4: {name} for place, name in enumerate("abc")}


def test_one_player_plays_all_other_seats():
    for learner, seats in seen_at_the_table("a", lambda players: players["a"], games=3, seat=2):
        assert learner == 2
        assert seats == {seat: {"a"} for seat in (0, 1, 3)}


def test_a_pool_is_drawn_from_for_every_seat_of_every_game():
    """By its weights, anew with every game, and nobody is exchanged before it ends."""
    found = seen_at_the_table(
        ["seldom", "often", "never"],
        lambda players: {players["seldom"]: 1, players["often"]: 3, players["never"]: 0.0},
        games=60,
    )
    drawn: Counter[str] = Counter()
    lineups = set()
    for learner, seats in found:
        assert set(seats) == {0, 1, 2, 3} - {learner}
        assert all(len(names) == 1 for names in seats.values())
        names = [next(iter(seats[(learner + after) % 4])) for after in (1, 2, 3)]
        drawn.update(names)
        lineups.add(tuple(names))
    assert drawn["never"] == 0
    assert 0.65 < drawn["often"] / drawn.total() < 0.85
    assert len(lineups) == 8


def test_rows_draw_their_own_line_ups():
    one, other = BySight(1), BySight(2)
    games = make(80, 2, seed=4, opponents={one: 1, other: 1})
    games.step(legal(games))
    assert min(one.asked[0], other.asked[0]) > 15


def test_the_learners_seat_goes_around_the_table():
    games = make(7, MIXED, seat=None)
    for begun in range(5):
        assert games.seats.tolist() == [(row + begun) % MIXED[row] for row in range(7)]
        games.restart(range(7))
    games.restart([3])
    assert games.seats.tolist() == [(row + 5 + (row == 3)) % MIXED[row] for row in range(7)]
    games.reset(1)
    assert games.seats.tolist() == [row % MIXED[row] for row in range(7)]
    fixed = make(7, 4, seat=2)
    fixed.restart([1, 4])
    assert fixed.seats.tolist() == [2] * 7


# ------------------------------------------------------------------------------ what may be asked


@pytest.mark.parametrize(
    ("arguments", "fault", "words"),
    [
        ({"opponents": ["random"]}, ValueError, "1 opponents for 3 seats"),
        ({"opponents": ["random"] * 4}, ValueError, "4 opponents for 3 seats"),
        ({"opponents": []}, ValueError, "0 opponents for 3 seats"),
        ({"opponents": ["random"] * 3, "players": [4, 4, 4, 4, 3]}, ValueError, "3 opponents"),
        ({"opponents": {}}, ValueError, "weight"),
        ({"opponents": {"random": 0}}, ValueError, "weight"),
        ({"opponents": {"random": -1.0, BySight(): 2.0}}, ValueError, "weight"),
        ({"opponents": {"random": float("nan")}}, ValueError, "weight"),
        ({"opponents": {"random": float("inf")}}, ValueError, "weight"),
        ({"opponents": "nobody"}, ValueError, "no agent is named 'nobody'"),
        ({"opponents": 7}, TypeError, "cannot play"),
        ({"opponents": ["random", None, "random"]}, TypeError, "cannot play"),
        ({"seat": 4}, ValueError, "seat=4"),
        ({"seat": -1}, ValueError, "seat=-1"),
        ({"seat": 2, "players": [4, 4, 2, 4, 4]}, ValueError, "seat=2: the seats are 0 to 1"),
        ({"reward": "fame"}, ValueError, "reward='fame'"),
        ({"players": 5}, ValueError, "players=5"),
        ({"n": 0}, ValueError, "n=0"),
        ({"seed": -1}, ValueError, "seed=-1"),
        ({"expansion": True}, TypeError, "no option 'expansion'"),
    ],
)
def test_arguments_are_checked(arguments, fault, words):
    with pytest.raises(fault, match=words):
        make(**arguments)


def test_one_seat_has_no_opponents():
    assert played(make(2, 1, opponents=[]), 5).seats.tolist() == [0, 0]


@pytest.mark.parametrize("wrong", [-1, 10**6, "masked"])
def test_an_illegal_move_of_an_opponent_is_named_as_its_own(wrong):
    def choose(observations, masks, rng):
        actions = masks.argmax(axis=1)
        actions[-1] = (~masks[-1]).argmax() if wrong == "masked" else wrong
        return actions

    with pytest.raises(IllegalMove) as caught:
        played(make(4, 4, opponents=choose), 20)
    assert caught.value.__notes__ == ["An opponent chose it."]
    assert caught.value.game_index is not None


@pytest.mark.parametrize(
    ("n", "answer"),
    [
        (6, lambda first: first[0]),
        (6, lambda first: first[:1]),
        (6, lambda first: first[1:]),
        (6, lambda first: np.append(first, 0)),
        (6, lambda first: first + 0.5),
        (6, lambda first: first.astype(np.float64)),
        (6, lambda first: first > 0),
        (6, lambda first: None),
        (1, lambda first: first[0]),
        (1, lambda first: first[:, None]),
    ],
    ids=[
        "one number for all",
        "an array of one for all",
        "too few",
        "too many",
        "fractions",
        "floats",
        "flags",
        "nothing",
        "a number for an array of one",
        "a column",
    ],
)
def test_an_opponents_answer_must_be_an_integer_for_each_game(n, answer):
    """Nothing else is taken for one in silence."""

    def choose(observations, masks, rng):
        return answer(masks.argmax(axis=1))

    with pytest.raises((TypeError, ValueError)) as caught:
        played(make(n, 2, opponents=choose), 20)
    assert not isinstance(caught.value, IllegalMove)


@pytest.mark.parametrize("number", [np.int16, np.uint16, np.int32, np.uint64])
def test_any_kind_of_integers_is_an_answer(number):
    def choose(observations, masks, rng):
        return masks.argmax(axis=1).astype(number)

    games = make(4, 2, opponents=choose)
    assert list(play(games, 20)) == list(play(make(4, 2, opponents=first_legal), 20))


# ----------------------------------------------------------------------------- the learner's faults


@pytest.mark.parametrize("wrong", [-1, -(2**40), 336, 2**40, "masked", "from the end"])
@pytest.mark.parametrize("reward", ["win", "prestige"])
def test_an_illegal_action_ends_its_game_and_no_other(wrong, reward):
    games = played(make(5, 4, seed=9, reward=reward, opponents=BySight()), 20)
    twin = copy.deepcopy(games)
    assert games.batch.actions.size == 336
    before, view = record_of(games.batch, 2), games.batch.obs[2].copy()
    actions = legal(games)
    expected = twin.step(actions)
    # "from the end": as NumPy counts, a legal action.
    numbers = {"masked": an_illegal(games, 2), "from the end": int(actions[2]) - 336}
    actions[2] = numbers.get(wrong, wrong)
    step = games.step(actions)
    others = [0, 1, 3, 4]
    assert step.rewards[2] == -1.0
    assert step.ended.tolist() == games.over.tolist() == [False, False, True, False, False]
    assert step.illegal.tolist() == [False, False, True, False, False]
    assert differing_fields(record_of(games.batch, 2), before) == []
    assert (games.observe(np.array([2])) == view).all()
    assert not games.action_masks()[2].any()
    assert games.action_masks()[others].any(axis=1).all()
    scores, winners = games.results(np.array([2]))
    assert (scores == games.batch.scores([2])).all()
    assert not winners.any()
    # The others go on as if nothing had happened.
    assert (step.rewards[others] == expected.rewards[others]).all()
    assert differing_fields(games.batch.save(others), twin.batch.save(others)) == []
    # Chance goes on where the game that ended had come to.
    games.restart([2])
    assert not games.over.any()
    assert games.action_masks()[2].any()
    assert games.batch.save([2])["random"] != before["random"]


def test_after_an_illegal_action_nothing_is_owed():
    """What fell due in the game that ended so is lost, in that game and in the next."""
    games = make(8, 4, seed=5)
    count = paying(games)
    games.reset(5)
    assert count.max() > 0
    step = games.step(np.full(8, -1))
    assert step.rewards.tolist() == [-1.0] * 8
    count[:] = 0
    games.restart(range(8))
    assert games.step(legal(games)).rewards.tolist() == count.tolist()


def test_no_winner_of_an_earlier_game_is_left_when_an_illegal_action_ends_the_next():
    games = make(1, 2)
    while not games.step(legal(games)).ended[0]:
        pass
    assert games.results(np.array([0]))[1].any()
    games.restart([0])
    games.step([-1])
    assert not games.results(np.array([0]))[1].any()


def test_a_game_that_is_over_takes_no_step():
    games = make(3, 2)
    actions = legal(games)
    actions[1] = -1
    games.step(actions)
    before = snapshot(games.batch)
    for action in (-1, 0):
        with pytest.raises(ValueError, match=r"games \[1\] are over; restart them"):
            games.step([action] * 3)
    assert_unchanged(games.batch, before)
    games.restart([1])
    games.step(legal(games))


@pytest.mark.parametrize(
    ("actions", "fault"),
    [([0, 0], ValueError), ([[0], [0], [0]], ValueError), ([0.0] * 3, TypeError), (0, ValueError)],
)
def test_actions_that_are_not_one_integer_a_game_are_refused(actions, fault):
    games = make(3, 2)
    before = snapshot(games.batch)
    with pytest.raises(fault, match="actions"):
        games.step(actions)
    assert_unchanged(games.batch, before)
    assert not games.over.any()


# ----------------------------------------------------------------------------- beginning and seeds


def test_some_games_begin_anew_and_the_others_are_left_alone():
    games = played(make(5, 3, seed=2), 25)
    untouched = [0, 2, 4]
    before, seats = games.batch.save(untouched), games.seats.copy()
    views = games.batch.obs[untouched].copy(), games.batch.mask[untouched].copy()
    games.restart([1, 3])
    assert differing_fields(games.batch.save(untouched), before) == []
    assert (games.batch.obs[untouched] == views[0]).all()
    assert (games.batch.mask[untouched] == views[1]).all()
    assert (games.seats[untouched] == seats[untouched]).all()
    assert games.seats[[1, 3]].tolist() == [(seat + 1) % 3 for seat in seats[[1, 3]]]
    assert (games.batch.to_move == games.seats).all()
    for rows in ([3, 1], [1, 1], [5], [-1]):
        with pytest.raises(ValueError, match="rows"):
            games.restart(rows)


def test_begin_without_a_seed_leaves_untouched_games_and_goes_on_from_others():
    games = make(4, 3, seed=2)
    dealt = snapshot(games.batch)
    for _ in range(2):
        games.begin(None)
        assert_unchanged(games.batch, dealt)
        assert games.seats.tolist() == [0, 1, 2, 0]
    course = list(play(games, 5))
    games.begin(None)
    assert games.seats.tolist() == [1, 2, 0, 1]
    second = snapshot(games.batch)
    assert differing_fields(second[1], dealt[1])
    games.begin(None)
    assert_unchanged(games.batch, second)
    games.begin(2)
    assert_unchanged(games.batch, dealt)
    assert list(play(games, 5)) == course
    # The second games follow from the seed, too.
    games.begin(None)
    np.testing.assert_array_equal(games.batch.obs, second[0]["obs"])


def test_a_seed_settles_everything():
    """Chance, the opponents' draws, who they are and where the learner sits."""

    def course(games):
        return list(play(games, 150))

    def pool():
        return {"random": 2, BySight(7): 1}

    games = make(4, 4, seed=11, opponents=pool())
    first = course(games)
    assert course(games) != first
    games.reset(11)
    assert course(games) == first
    games.reset(12)
    assert course(games) != first
    assert course(make(4, 4, seed=11, opponents=pool(), threads=2)) == first
    assert course(make(4, 4, seed=11, opponents="random")) != first


def test_every_opponent_draws_from_a_generator_of_its_own_under_the_seed():
    drawn: dict[str, list[float]] = {"a": [], "b": []}

    def player(name):
        def choose(observations, masks, rng):
            drawn[name].append(rng.random())
            return masks.argmax(axis=1)

        return choose

    def draws(seed):
        games.reset(seed)
        for draws in drawn.values():
            draws.clear()
        games.step(legal(games))
        return drawn["a"][0], drawn["b"][0]

    games = make(5, 3, opponents=[player("a"), player("b")])
    first = draws(1)
    assert draws(1) == first
    assert len({*first, *draws(2)}) == 4


def test_a_row_does_not_depend_on_the_others_where_opponents_draw_nothing():
    few, many = (make(n, 4, seed=3, opponents=BySight(1)) for n in (2, 9))
    for _ in range(150):
        assert (few.batch.obs == many.batch.obs[:2]).all()
        ended = []
        for games in (few, many):
            step = games.step(legal(games))
            games.restart(np.flatnonzero(step.ended))
            ended.append(step.ended[:2].tolist())
        assert ended[0] == ended[1]


def test_without_a_seed_games_differ():
    assert (make(3, 4, seed=None).batch.obs != make(3, 4, seed=None).batch.obs).any()


def test_a_copy_goes_on_with_the_same_games():
    games = played(make(4, 4, seed=21, opponents={"random": 1, BySight(7): 1}), 30)
    twin, later = copy.deepcopy(games), copy.deepcopy(games)
    course = list(play(twin, 120))
    # What the copy has played has moved nothing in the original.
    assert list(play(games, 120)) == course
    later.reset(21)
    games.reset(21)
    assert list(play(later, 60)) == list(play(games, 60))


def test_global_generators_are_left_alone():
    before = np.random.get_state(legacy=False)["state"]["key"].tolist()
    played(make(3, 4, seed=None), 20)
    assert np.random.get_state(legacy=False)["state"]["key"].tolist() == before


class Forgetful:
    """Plays until it has forgotten how."""

    forgotten = False

    def act(self, observations, masks, rng):
        if self.forgotten:
            raise RuntimeError("no idea")
        return masks.argmax(axis=1)


def test_after_an_opponent_has_failed_nobody_plays_for_it():
    """Neither its mask nor its turn falls to the learner; a reset puts everything right."""
    opponent = Forgetful()
    games = SeatGames(n=3, players=2, seed=1, seat=0, opponents=opponent)
    opponent.forgotten = True
    while (games.batch.to_move == games.seats).all():
        with suppress(RuntimeError):
            games.step(games.action_masks().argmax(axis=1))
    stuck = games.batch.to_move != games.seats
    assert not games.action_masks()[stuck].any()
    with pytest.raises(RuntimeError, match=r"an opponent failed in games \[.*call reset"):
        games.step(games.batch.mask.argmax(axis=1))
    with suppress(RuntimeError):
        games.reset(0)
    opponent.forgotten = False
    games.begin(None)
    assert (games.batch.to_move == games.seats).all()
    games.step(games.action_masks().argmax(axis=1))


@pytest.mark.parametrize("seat", [1.0, True, "1"])
def test_a_seat_is_a_whole_number(seat):
    with pytest.raises(ValueError, match="the seats are 0 to 1, or None"):
        SeatGames(players=2, seat=seat)


def test_bytes_are_no_player():
    wrong: Any = b"random"
    with pytest.raises(TypeError, match="b'random' cannot play"):
        SeatGames(players=2, opponents=wrong)
