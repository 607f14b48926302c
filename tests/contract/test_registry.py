"""The games by name, and the one box that a process plays each of them with."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shakespeare_env import Batch, Position, registry
from shakespeare_env.errors import BoxError
from tests.contract import knowledge
from tests.contract.batches import games

GAMES = registry.names()
ROOT = Path(__file__).parents[2]

PLAYER = """
import json, os, pickle, sys
from pathlib import Path
from shakespeare_env import Batch, Position, env, registry
from tests.contract import knowledge

name, *boxes = sys.argv[1:]
seats = registry.seats(name)[-1]

def fact(box=None):
    batch = Batch(name, players=seats, box=box)
    first = batch.game.to_dict(batch.save([0])[0])
    return knowledge.of(name, "box_changes").fact(first)

def refusal(box):
    try:
        Batch(name, players=seats, box=box)
    except Exception as fault:
        return f"{type(fault).__name__} {fault}"
    return "no refusal"

def in_force():
    return os.environ.get(f"{name.upper()}_BOX")

def say(*facts):
    print(json.dumps(facts))
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


@games
def test_a_game_is_found_by_its_name_and_is_the_same_object_every_time(name):
    game = registry.game(name)
    assert game.name == name
    assert Batch(name, players=game.max_seats).game is registry.game(name) is game
    assert (game.solo_target is not None) == (1 in registry.seats(name))


@pytest.mark.parametrize("name", ["chess", "", GAMES[0].upper()])
def test_an_unknown_game_is_refused_and_the_known_ones_named(name):
    for ask in (registry.game, registry.seats, lambda name: registry.game(name, "no/such/file")):
        with pytest.raises(ValueError, match="there is no game") as caught:
            ask(name)
        assert all(known in str(caught.value) for known in (repr(name), *GAMES))


@games
def test_the_seats_of_a_game_are_known_before_it_is_loaded(name):
    game = registry.game(name)
    assert registry.seats(name) == range(game.min_seats, game.max_seats + 1)
    script = "say([module for module in sys.modules if f'shakespeare_env.{name}' in module])"
    assert in_a_process(name, script, ROOT / "no box") == [[[]]]


# ---- boxes ---------------------------------------------------------------------------------------


@games
def test_a_game_in_play_goes_on_with_its_own_box_and_refuses_others(name, boxes, tmp_path):
    game = registry.game(name)
    twin = tmp_path / "twin.toml"
    twin.write_bytes(game.box.read_bytes())
    for same in (str(game.box), twin):
        assert Batch(name, players=game.max_seats, box=same).game is game
    for new in (Position.new, Batch):
        with pytest.raises(BoxError, match="already plays") as caught:
            new(name, players=game.max_seats, box=boxes[0])
        for part in (str(boxes[0]), str(game.box), f"{name.upper()}_BOX"):
            assert part in str(caught.value)


@games
def test_the_box_given_first_is_the_one_that_is_played_with(name, boxes):
    """In every view, in processes started later, and again and again; another one is refused."""
    script = """
lost = refusal("lost.toml")
say(lost, in_force())
say(fact(os.path.relpath(boxes[0])), fact(), fact(Path(boxes[0])))
say(in_force(), str(registry.game(name).box))
say(env(game=name, players=seats, box=boxes[0]).unwrapped.game is registry.game(name))
say(refusal(boxes[1]), refusal(boxes[2]), fact())
import subprocess
child = "import sys; from shakespeare_env import Position; from tests.contract import knowledge; " \\
    "name = sys.argv[1]; first = Position.new(name, players=int(sys.argv[2])).to_dict(); " \\
    "print(knowledge.of(name, 'box_changes').fact(first))"
os.chdir("/")
command = [sys.executable, "-W", "ignore", "-c", child, name, str(seats)]
say(int(subprocess.run(command, capture_output=True).stdout))
"""
    first, other = facts_of(name)
    lost, begun, said, same, refused, inherited = in_a_process(name, script, *boxes)
    assert lost[0].startswith("BoxError lost.toml: cannot be read")
    assert lost[1] is None
    assert begun == [first] * 3
    assert said == [str(boxes[0])] * 2
    assert same == [True]
    for refusal, box in zip(refused[:2], boxes[1:], strict=True):
        assert refusal.startswith(f"BoxError {box}: this process already plays {name} with ")
        assert str(boxes[0]) in refusal
    assert refused[2] == first
    assert inherited == [first]
    # It comes before the one in the environment.
    environment = {f"{name.upper()}_BOX": str(boxes[0])}
    said = in_a_process(name, "say(fact(boxes[1]), in_force())", *boxes, **environment)
    assert said == [[other, str(boxes[1])]]


@games
def test_a_broken_box_is_refused_and_leaves_everything_as_it_was(name, boxes):
    script = "say(refusal(boxes[2]), in_force())\n" * 2 + "say(fact(), in_force())"
    one, other, broken = boxes
    own = in_a_process(name, "say(fact())", one)[0][0]
    assert len({own, *facts_of(name)}) == 3
    for before, expected in ((None, own), (str(one), facts_of(name)[0])):
        environment = {} if before is None else {f"{name.upper()}_BOX": before}
        *said, after = in_a_process(name, script, *boxes, **environment)
        for refusal, in_force in said:
            assert refusal.startswith("BoxError ")
            assert str(broken) in refusal
            assert in_force == before
        assert after == [expected, before]
    script = "say(refusal(boxes[2])); say(fact(boxes[1]), in_force())"
    assert in_a_process(name, script, *boxes)[1] == [facts_of(name)[1], str(other)]


@games
def test_a_box_that_comes_too_late_is_refused_even_if_the_game_was_loaded_by_another_way(
    name, boxes
):
    script = f"import shakespeare_env.{name}.contract\nsay(refusal(boxes[0]), fact(), in_force())"
    refusal, found, in_force = in_a_process(name, script, *boxes)[0]
    assert refusal.startswith(f"BoxError {boxes[0]}: this process already plays {name}")
    assert in_force is None
    assert found not in facts_of(name)


@games
@pytest.mark.parametrize(
    "change", ["Path(boxes[0]).write_bytes(Path(boxes[1]).read_bytes())", "os.remove(boxes[0])"]
)
def test_the_box_is_the_file_as_it_was_loaded(name, boxes, change):
    """It may be edited or deleted afterwards: the game in play is not, nor is its digest."""
    script = f"""
from shakespeare_env.box_reading import facts_digest
before = facts_digest(Path(registry.__file__).parent / name, Path(boxes[0]))
first = fact(boxes[0])
{change}
say(first, fact(), registry.box_digest(name) == before, refusal(boxes[1]))
"""
    first, again, same, refusal = in_a_process(name, script, *boxes)[0]
    assert first == again == facts_of(name)[0]
    assert same
    assert refusal.startswith(f"BoxError {boxes[1]}: this process already plays")


@games
def test_what_was_saved_with_another_box_is_refused(name, boxes, tmp_path):
    """Its arrays may be of other sizes, which compiled code would not notice."""
    write = """
registry.game(name, boxes[0])
view = env(game=name, players=seats)
view.reset(seed=1)
saved = [Batch(name, players=seats), Position.new(name, players=seats), view, view.save_state()]
for number, thing in enumerate(saved):
    Path(f"{number}.pickle").write_bytes(pickle.dumps(thing))
"""
    read = """
def tried(number):
    try:
        thing = pickle.loads(Path(f"{number}.pickle").read_bytes())
        if number == 3:
            env(game=name, players=seats).load_state(thing)
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
