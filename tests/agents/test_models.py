"""A network that was trained elsewhere is an agent, and searches use it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from shakespeare_agents import make
from shakespeare_agents.identity import agent_digest
from shakespeare_agents.naming import AgentSpec, names_running_python
from shakespeare_agents.networks.inference import NetworkAgent
from shakespeare_agents.search.agent import SearchSettings, advisor_search, network_search
from shakespeare_agents.search.batch_playouts import BatchPlayouts
from shakespeare_agents.search.playouts import PlayoutRunner
from shakespeare_arena import Entrant, evaluate
from shakespeare_arena.dataset import write_dataset
from shakespeare_env import Batch
from shakespeare_env.core import registry
from shakespeare_env.datasets import read_games
from shakespeare_env.play.agent import decide
from tests.agents.networks import random_network
from tests.generators import generators

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
FIGARO = registry.game("figaro")
CODE = """
import numpy as np
import torch

class Net(torch.nn.Module):
    def __init__(self, game, *, width=8):
        super().__init__()
        torch.manual_seed(width)
        self.body = torch.nn.Linear(game.layout.size, width)
        self.policy = torch.nn.Linear(width, game.actions.size)
        self.critic = torch.nn.Linear(width, 1)

    def forward(self, observations):
        hidden = self.body(observations / 8).relu()
        return self.policy(hidden), self.critic(hidden)

class Acting(Net):
    def act(self, observations, masks, rng):
        return np.full(len(masks), 7)

def third(observations, masks, rng):
    return masks.argmax(1)

def first(observations, masks):
    return -np.arange(masks.shape[1]) * np.ones((len(masks), 1))
"""


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """Enter a folder with code of networks, weights, and TorchScript."""
    monkeypatch.chdir(tmp_path)
    Path("my.py").write_text(CODE)
    scope: dict[str, Any] = {"__name__": "scope"}
    exec(CODE, scope)
    net = scope["Net"](FIGARO)
    with torch.no_grad():
        net.policy.bias.normal_()
    torch.save(net.state_dict(), "net.weights")
    torch.jit.trace(net.eval(), torch.zeros(2, FIGARO.layout.size)).save("net.pt")


@pytest.fixture
def batch():
    return Batch("figaro", n=4, players=3, seed=1)


def digest(name):
    return agent_digest(AgentSpec.parse(name), make(name, FIGARO), FIGARO)


@pytest.mark.parametrize("name", ["my.py:Net,weights=net.weights", "net.pt"])
def test_a_model_plays_its_likeliest_legal_action(name, batch):
    agent: Any = make(name, FIGARO)
    likely = agent.probabilities(batch.obs, batch.mask)
    assert (likely[~batch.mask] == 0).all()
    assert likely.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    assert (agent.act(batch.obs, batch.mask, generators(batch.n)) == likely.argmax(axis=1)).all()
    assert agent.values(batch.obs).shape == (batch.n,)
    same: Any = make("net.pt", FIGARO)
    np.testing.assert_allclose(likely, same.probabilities(batch.obs, batch.mask), atol=1e-6)


def test_a_module_that_acts_is_the_agent_itself(batch):
    """It keeps its memory in `rng`, which a model that is only asked for outputs could not."""
    agent: Any = make("my.py:Acting,weights=net.weights", FIGARO)
    assert agent.act(batch.obs, batch.mask, generators(batch.n)).tolist() == [7] * batch.n
    assert torch.equal(agent.policy.bias, torch.load("net.weights")["policy.bias"])
    with pytest.raises(ValueError, match="drop greedy=false"):
        make("my.py:Acting,greedy=false", FIGARO)


@pytest.fixture
def two_threads():
    """Give PyTorch two threads, and what it had afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_pytorch_plays_with_one_thread_and_has_its_own_number_afterwards(batch, two_threads):
    """Small steps on several threads take many times as long where others use the cores."""
    threads = []

    def forward(observations):
        threads.append(torch.get_num_threads())
        return torch.zeros(len(observations), FIGARO.actions.size)

    net = torch.nn.Module()
    net.forward = forward
    agent: Any = make(net, FIGARO)
    agent.act(batch.obs, batch.mask, generators(batch.n))
    decide_once(search_over(net), batch)
    assert len(threads) > 10
    assert set(threads) == {1}
    assert torch.get_num_threads() == 2


def test_playouts_of_any_agent_run_with_one_thread(batch, two_threads):
    threads = []

    class Own:
        def probabilities(self, observations, masks):
            threads.append(torch.get_num_threads())
            return masks / masks.sum(axis=1, keepdims=True)

    decide_once(search_over(Own()), batch)
    assert threads.count(1) > 10 * threads.count(2)  # the prior is asked outside of playouts
    assert torch.get_num_threads() == 2


def decide_once(agent, batch):
    """Return an agent's actions in all games of a batch."""
    return decide(agent, batch, np.arange(batch.n), generators(batch.n))


def test_a_function_plays_and_is_searched_with_one_thread_of_numpy():
    libraries = ThreadpoolController().select(user_api="blas")
    threads: list[int] = []

    def uniform(observations, masks):
        threads.extend(library["num_threads"] for library in libraries.info())
        return np.zeros(masks.shape)

    with libraries.limit(limits=2):
        before = [library["num_threads"] for library in libraries.info()]
        agent = make(uniform, FIGARO)
        evaluate([agent, "random"], "figaro", players=3, games=3)
        evaluate([search_over(agent), "random"], "figaro", players=3, games=3)
        assert [library["num_threads"] for library in libraries.info()] == before
    assert len(threads) > 10
    assert set(threads) == {1}


def search_over(model):
    """Return a short search over a model or an agent with probabilities."""
    advisor: Any = model if hasattr(model, "probabilities") else make(model, FIGARO)
    settings = SearchSettings(simulations=2, near_certain=1.0)
    return advisor_search(FIGARO, advisor, settings)


def test_a_function_of_observations_and_masks_is_a_model(batch):
    agent: Any = make("my.py:first", FIGARO)
    actions = agent.act(batch.obs, batch.mask, generators(batch.n))
    assert (actions == batch.mask.argmax(axis=1)).all()


def test_an_onnx_file_is_a_model(batch):
    pytest.importorskip("onnxruntime")
    from shakespeare_agents.networks.checkpoint import bundled_checkpoint
    from shakespeare_agents.networks.export import export

    export(bundled_checkpoint(FIGARO), FIGARO, Path("exported"), {"onnx"})
    agent: Any = make("exported/network.onnx", FIGARO)
    ours: Any = make("network", FIGARO)
    np.testing.assert_allclose(
        agent.probabilities(batch.obs, batch.mask),
        ours.probabilities(batch.obs, batch.mask),
        atol=1e-2,  # ours has a first layer of integers
    )
    assert hasattr(agent, "forecasts")


class Forecasting:
    """Our network behind the methods that any agent may have."""

    def __init__(self, network):
        self.network = NetworkAgent(network)

    def probabilities(self, observations, masks):
        return self.network.probabilities(observations, masks)

    def forecasts(self, observations, players):
        return self.network.forecasts(observations, players)


@pytest.mark.parametrize(
    ("horizon", "valued_chapter", "temperature"),
    [(0, 1000, 1.0), (2, 1000, 0.0), (1000, 1000, 1.0), (1000, 1, 0.0)],
)
@pytest.mark.parametrize(("name", "players"), [("figaro", 3), ("shakespeare", 2)])
def test_a_search_in_batches_plays_as_the_compiled_one(
    name, players, horizon, valued_chapter, temperature
):
    game = registry.game(name)
    network = random_network(game, 4, heads=True)
    settings = SearchSettings(simulations=8, near_certain=1.0)
    play: dict[str, Any] = {"horizon": horizon, "temperature": temperature}
    scores = []
    for agent in (
        network_search(game, network, settings, **play),
        advisor_search(game, Forecasting(network), settings, **play),
    ):
        assert isinstance(agent.runner, PlayoutRunner | BatchPlayouts)
        agent.runner.valued_chapter = valued_chapter
        found = evaluate(
            [Entrant("search", agent), "random"], name, players=players, games=2, seed=3
        )
        scores.append(found)
    assert scores[0] == scores[1]


def test_a_search_uses_the_model_that_its_name_gives(batch):
    with pytest.raises(TypeError, match=r"my.py:Net' has no option 'widht' .*'width'"):
        make("search,network=my.py:Net,widht=9,simulations=4", FIGARO)
    search: Any = make("search,network=my.py:Net,width=9,simulations=4", FIGARO)
    assert search.prior.model.module.body.out_features == 9
    assert search.settings.simulations == 4
    actions = decide_once(make("search,network=net.pt,simulations=2", FIGARO), batch)
    assert batch.mask[np.arange(batch.n), actions].all()


def test_without_forecasts_a_search_plays_to_the_end_whatever_its_horizon():
    results = []
    for horizon in ("", ",horizon=2"):
        search = make(f"search,network=my.py:first,simulations=2{horizon}", FIGARO)
        results.append(evaluate([Entrant("search", search), "random"], "figaro", games=3))
    assert results[0] == results[1]


def test_a_search_needs_probabilities():
    with pytest.raises(TypeError, match=r"cannot use 'my.py:third', which has no probabilities"):
        make("search,network=my.py:third", FIGARO)
    with pytest.raises(ValueError, match=r"'random' is neither a checkpoint nor a model"):
        make("search,network=random", FIGARO)


def test_games_of_a_search_over_a_model_are_kept_under_its_own_digest():
    names = ["my.py:Net", "my.py:first", "net.pt", "my.py:Net,weights=net.weights"]
    names += [f"search,network={name}" for name in names]
    names += ["search,network=net.pt,simulations=2"]
    assert len(set(map(digest, names))) == len(names)
    from shakespeare_agents.making import entrants_of

    # The model is nearly certain of every move, so that games are short to play.
    search = "search,network=my.py:first,near_certain=0.1"
    entrants = entrants_of([search, "random", "random"], FIGARO)
    write_dataset(Path("games"), entrants, "figaro", games=3)
    assert read_games("games").collect()["digests"][0][0] == digest(entrants[0].name)


@pytest.mark.parametrize("name", ["net.pt", "search,network=net.pt", "search,network=my.py:Net"])
def test_the_name_of_a_model_is_understood_in_another_folder(name, tmp_path, monkeypatch):
    spec = AgentSpec.parse(name).with_absolute_path()
    monkeypatch.chdir("/")
    assert make(spec, FIGARO)
    assert str(tmp_path) in spec.text


def test_a_checkpoint_may_be_called_like_a_model_file():
    Path("best.pt").mkdir()
    assert AgentSpec.parse("best.pt").model_file is None
    assert AgentSpec.parse("best.pt").checkpoint(FIGARO) == Path("best.pt")


def test_a_change_of_the_files_changes_the_digest():
    names = ["net.pt", "search,network=net.pt"]
    before = list(map(digest, names))
    other = torch.nn.Linear(FIGARO.layout.size, FIGARO.actions.size)
    torch.jit.trace(other, torch.zeros(2, FIGARO.layout.size)).save("net.pt")
    assert not set(before) & set(map(digest, names))


def test_models_that_run_code_need_trust():
    names = ["my.py:Net", "search,network=my.py:Net", "net.pt", "search,network=net.pt"]
    assert names_running_python([*names, "net.onnx", "search"]) == names


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("gone.onnx", r"there is no file 'gone\.onnx'"),
        ("my.py:Net,weights=gone.pt", r"weights 'gone\.pt' cannot be loaded"),
        (
            "my.py:Net,width=4,weights=net.weights",
            r"^the weights 'net\.weights' do not fit Net: .* has the shape \(.*\) instead of "
            r"\(4, 407\); give weights that were trained for the same game, with the same options "
            "of the module$",
        ),
        ("my.py", "name an agent in it"),
    ],
)
def test_a_model_that_cannot_be_made_says_why(name, fault):
    with pytest.raises(ValueError, match=fault):
        make(name, FIGARO)


@pytest.mark.parametrize(
    ("outputs", "fault"),
    [
        ({"policy": np.zeros((1, FIGARO.actions.size))}, "needs the output `logits`; it has"),
        (np.zeros((1, 3)), r"`logits` has the shape \(1, 3\).*must be \(1, \d+\)"),
        (np.full((1, FIGARO.actions.size), np.nan), "NaN"),
        ((1, 2, 3), "3 outputs without names"),
    ],
)
def test_outputs_that_do_not_fit_the_game_are_refused(outputs, fault):
    with pytest.raises(ValueError, match=fault):
        make(lambda observations, masks: outputs, FIGARO)
