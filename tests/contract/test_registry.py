"""The games by name, and the one box that a process plays each of them with."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shakespeare_env import Batch, Position, registry
from shakespeare_env.errors import BoxError, ShakespeareEnvError
from tests.contract import knowledge

GAMES = registry.names()
ROOT = Path(__file__).parents[2]
games = pytest.mark.parametrize("name", GAMES)

PLAYER = """
import json, os, sys
from shakespeare_env import Batch, Position, env, registry
from tests.contract import knowledge

def fact(box=None, name=sys.argv[1]):
    batch = Batch(name, players=registry.seats(name)[-1], box=box)
    first = batch.game.to_dict(batch.save([0])[0])
    return knowledge.of(name, "box_changes").fact(first)

def refusal(box, name=sys.argv[1]):
    try:
        Batch(name, players=registry.seats(name)[-1], box=box)
    except Exception as fault:
        return f"{type(fault).__name__} {fault}"
    return "no refusal"

def in_force(name=sys.argv[1]):
    return os.environ.get(f"{name.upper()}_BOX")

def say(*facts):
    print(json.dumps(facts))

name, *boxes = sys.argv[1:]
"""


def in_a_process(name, script, *boxes, **environment):
    """What a script says, a list a line, in a process of its own; without the compiler's wait."""
    kept = {key: value for key, value in os.environ.items() if not key.endswith("_BOX")}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PLAYER + script, name, *map(str, boxes)],
        capture_output=True,
        text=True,
        check=False,
        cwd=boxes[0].parent,
        env={**kept, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1", **environment},
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def facts_of(name):
    """What the fact that the boxes change is with the one and with the other."""
    return [fact for _, fact in knowledge.of(name, "box_changes").NEW]


@pytest.fixture
def boxes(name, tmp_path):
    """Two changed copies of a game's own box and one that is broken."""
    text = (ROOT / "shakespeare_env" / name / "box.toml").read_text(encoding="utf-8")
    changes = knowledge.of(name, "box_changes")
    assert text.count(changes.OLD) == 1
    contents = [text.replace(changes.OLD, new) for new in (*(new for new, _ in changes.NEW), "")]
    paths = [tmp_path / f"{which}.toml" for which in ("one", "other", "broken")]
    for path, content in zip(paths, contents, strict=True):
        path.write_text(content, encoding="utf-8")
    return paths


# ---- names ---------------------------------------------------------------------------------------


def test_every_game_is_found_by_its_name_and_is_the_same_object_every_time():
    assert len(set(GAMES)) == len(GAMES) > 0
    for name in GAMES:
        game = registry.game(name)
        assert game.name == name
        assert registry.game(name) is game
        assert Batch(name, players=game.max_seats).game is game


@pytest.mark.parametrize("name", ["chess", "", GAMES[0].upper(), f" {GAMES[0]}"])
def test_an_unknown_game_is_refused_and_the_known_ones_named(name):
    for box in (None, "no/such/file"):
        with pytest.raises(ValueError, match="there is no game") as caught:
            registry.game(name, box)
        assert repr(name) in str(caught.value)
        assert all(known in str(caught.value) for known in GAMES)


@games
def test_the_seats_of_a_game_are_known_before_it_is_loaded(name):
    game = registry.game(name)
    assert registry.seats(name) == range(game.min_seats, game.max_seats + 1)
    script = """
say(*registry.seats(name))
say([module for module in sys.modules if module.startswith(f"shakespeare_env.{name}")])
"""
    assert in_a_process(name, script, ROOT / "no box") == [[*registry.seats(name)], [[]]]


def test_the_game_that_is_meant_where_none_is_named_is_one_of_them():
    assert registry.DEFAULT in GAMES
    with pytest.raises(ValueError, match="there is no game 'chess'"):
        registry.seats("chess")


@games
def test_one_seat_alone_has_a_target_and_no_other_table_has(name):
    assert (registry.game(name).solo_target is not None) == (1 in registry.seats(name))


# ---- boxes ---------------------------------------------------------------------------------------


@games
def test_a_game_in_play_goes_on_with_its_own_box_and_refuses_others(name, boxes, tmp_path):
    game = registry.game(name)
    twin = tmp_path / "twin.toml"
    twin.write_bytes(game.box.read_bytes())
    for same in (game.box, str(game.box), twin):
        assert Batch(name, players=game.max_seats, box=same).game is game
        assert Position.new(name, players=game.max_seats, box=same).game is game
    with pytest.raises(BoxError, match="already plays"):
        Position.new(name, players=game.max_seats, box=boxes[0])
    with pytest.raises(BoxError, match="already plays") as caught:
        Batch(name, players=game.max_seats, box=boxes[0])
    assert str(boxes[0]) in str(caught.value)
    assert str(game.box) in str(caught.value)
    assert f"{name.upper()}_BOX" in str(caught.value)
    assert issubclass(BoxError, ShakespeareEnvError)


@games
def test_a_missing_file_is_named_whether_or_not_the_game_is_in_play(name, boxes, tmp_path):
    lost = tmp_path / "lost.toml"
    with pytest.raises(BoxError, match=r"lost\.toml: cannot be read"):
        registry.game(name, lost)
    said = in_a_process(name, "say(refusal(boxes[0])); say(fact(), in_force())", lost)
    assert said[0][0].startswith(f"BoxError {lost}: cannot be read")
    assert said[1] == in_a_process(name, "say(fact(), None)", lost)[0]


@games
def test_the_box_given_first_is_the_one_that_is_played_with(name, boxes):
    """In every view, in processes started later, and again and again; another one is refused."""
    script = """
import subprocess
from pathlib import Path
say(fact(os.path.relpath(boxes[0])), in_force(), str(registry.game(name).box))
say(fact(), fact(boxes[0]), fact(Path(boxes[0])))
view = env(game=name, players=registry.seats(name)[-1], box=boxes[0])
say(view.unwrapped.game is registry.game(name))
say(refusal(boxes[1]), refusal(boxes[2]), fact())
child = "import sys; from shakespeare_env import Position, registry; " \\
    "from tests.contract import knowledge; name = sys.argv[1]; " \\
    "first = Position.new(name, players=registry.seats(name)[-1]).to_dict(); " \\
    "print(knowledge.of(name, 'box_changes').fact(first))"
os.chdir("/")
done = subprocess.run([sys.executable, "-W", "ignore", "-c", child, name], capture_output=True)
say(int(done.stdout))
"""
    first, _ = facts_of(name)
    begun, again, (same_game,), refused, (inherited,) = in_a_process(name, script, *boxes)
    assert begun == [first, str(boxes[0]), str(boxes[0])]
    assert again == [first] * 3
    assert same_game
    for refusal, box in zip(refused[:2], boxes[1:], strict=True):
        assert refusal.startswith(f"BoxError {box}: this process already plays {name} with ")
        assert str(boxes[0]) in refusal
    assert refused[2] == first
    assert inherited == first


@games
def test_a_broken_box_is_refused_and_leaves_everything_as_it_was(name, boxes):
    script = """
say(refusal(boxes[2]), in_force())
say(refusal(boxes[2]), in_force())
say(fact(), in_force())
"""
    one, other, broken = boxes
    own = in_a_process(name, "say(fact())", one)[0][0]
    assert len({own, *facts_of(name)}) == 3
    for before, expected in ((None, own), (str(one), facts_of(name)[0])):
        environment = {} if before is None else {f"{name.upper()}_BOX": before}
        said = in_a_process(name, script, *boxes, **environment)
        for refusal, in_force in said[:2]:
            assert refusal.startswith("BoxError ")
            assert str(broken) in refusal
            assert in_force == before
        assert said[2] == [expected, before]
    script = "say(refusal(boxes[2])); say(fact(boxes[1]), in_force())"
    assert in_a_process(name, script, *boxes)[1] == [facts_of(name)[1], str(other)]


@games
def test_a_box_given_comes_before_the_one_in_the_environment(name, boxes):
    one, other, _ = boxes
    environment = {f"{name.upper()}_BOX": str(one)}
    script = "say(fact(boxes[1]), in_force())"
    said = in_a_process(name, script, *boxes, **environment)
    assert said == [[facts_of(name)[1], str(other)]]


@games
def test_a_box_that_comes_too_late_is_refused_even_if_the_game_was_loaded_by_another_way(
    name, boxes
):
    script = f"""
import shakespeare_env.{name}.contract
say(refusal(boxes[0]), fact(), in_force())
"""
    refusal, found, in_force = in_a_process(name, script, *boxes)[0]
    assert refusal.startswith(f"BoxError {boxes[0]}: this process already plays {name}")
    assert in_force is None
    assert found == in_a_process(name, "say(fact())", boxes[0])[0][0]


@games
def test_the_box_is_the_file_as_it_was_loaded(name, boxes):
    """It may be edited or deleted afterwards: the game in play is not, and an error names the
    file that was asked for."""
    script = """
say(fact(boxes[0]))
from pathlib import Path
Path(boxes[0]).write_bytes(Path(boxes[1]).read_bytes())
say(refusal(boxes[0]))
os.remove(boxes[0])
say(refusal(boxes[1]), fact())
"""
    (first,), (edited,), (other, again) = in_a_process(name, script, *boxes)
    assert edited.startswith(f"BoxError {boxes[0]}: this process already plays")
    assert other.startswith(f"BoxError {boxes[1]}: this process already plays")
    assert first == again == facts_of(name)[0]


@games
@pytest.mark.parametrize(
    "change", ["Path(boxes[0]).write_bytes(Path(boxes[1]).read_bytes())", "os.remove(boxes[0])"]
)
def test_the_digest_is_of_the_box_as_it_was_loaded(name, boxes, change):
    """By whatever way, and whatever has become of the file since."""
    script = f"""
from pathlib import Path
from shakespeare_env.box_reading import facts_digest
import shakespeare_env.{name}.contract
before = facts_digest(Path(registry.__file__).parent / name, Path(boxes[0]))
{change}
say(registry.box_digest(name) == before, fact())
"""
    environment = {f"{name.upper()}_BOX": str(boxes[0])}
    assert in_a_process(name, script, *boxes, **environment) == [[True, facts_of(name)[0]]]


@games
def test_what_was_saved_with_another_box_is_refused(name, boxes, tmp_path):
    """Its arrays may be of other sizes, which compiled code would not notice."""
    write = """
import pickle
registry.game(name, boxes[0])
seats = registry.game(name).max_seats
view = env(game=name, players=seats)
view.reset(seed=1)
saved = [Batch(name, players=seats), Position.new(name, players=seats), view, view.save_state()]
for number, thing in enumerate(saved):
    with open(f"{number}.pickle", "wb") as file:
        pickle.dump(thing, file)
"""
    read = """
import pickle
def tried(number):
    try:
        with open(f"{number}.pickle", "rb") as file:
            thing = pickle.load(file)
        if number == 3:
            view = env(game=name, players=registry.game(name).max_seats)
            view.load_state(thing)
    except Exception as fault:
        return f"{type(fault).__name__} {fault}"
    return "no refusal"
say(*map(tried, range(4)))
"""
    in_a_process(name, write, *boxes)
    for refusal in in_a_process(name, read, *boxes)[0]:
        assert refusal.startswith(f"BoxError this comes from {name}, made with another box than")
        assert f"set {name.upper()}_BOX" in refusal
    environment = {f"{name.upper()}_BOX": str(boxes[0])}
    assert in_a_process(name, read, *boxes, **environment)[0] == ["no refusal"] * 4
