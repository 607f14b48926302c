"""Exported networks compute the same as the checkpoint, and load without our packages."""

import json
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("torch")

from shakespeare_agents.networks.checkpoint import bundled_checkpoint, load_checkpoint
from shakespeare_agents.networks.export import export
from shakespeare_env.core import registry
from shakespeare_env.core.batch import Batch
from tests.agents.networks import PlainNetwork
from tests.contract.command_line import output_of, refusal_of

LOAD = """
import sys
import numpy, torch
for package in ("env", "agents", "arena", "research", "table", "training"):
    sys.modules[f"shakespeare_{package}"] = None
sys.path.insert(0, ".")
from network import load
outputs = load(".")(torch.from_numpy(numpy.load("observations.npy")))
numpy.savez("outputs.npz", **{name: output.detach() for name, output in outputs.items()})
"""


def observations_of_games(game, network):
    """Return observations, int8[n, D], of games in which the network makes every other decision."""
    batch = Batch(game.name, n=8, players=game.max_seats, seed=0)
    observations = []
    for step in range(60):
        observations.append(batch.obs.copy())
        logits = np.where(batch.mask, network.logits(batch.obs), -np.inf)
        batch.step(logits.argmax(axis=1) if step % 2 else batch.random_actions())
    return np.concatenate(observations)


def assert_outputs(outputs, network, observations):
    """Check that outputs for full tables are the network's."""
    expected = {"logits": network.logits(observations), "value": network.values(observations)}
    if network.has_heads:
        exponentials = np.exp(outputs.pop("win_logits"))
        outputs["shares"] = exponentials / exponentials.sum(1, keepdims=True)
        players = np.full(len(observations), exponentials.shape[1])
        shares, changes = network.forecasts(observations, players)
        expected |= {"shares": shares, "changes": changes}
    assert outputs.keys() == expected.keys()
    for name, output in outputs.items():
        np.testing.assert_allclose(output, expected[name], atol=1e-3)


@pytest.mark.parametrize(
    ("name", "version", "file_format"),
    [("shakespeare", 0, "torch"), ("figaro", 1, "torch"), ("figaro", 0, "onnx")],
)
def test_it_loads_without_our_packages_and_computes_the_same(name, version, file_format, tmp_path):
    runtime = pytest.importorskip("onnxruntime") if file_format == "onnx" else None
    game = registry.game(name)
    checkpoint = bundled_checkpoint(game, version)
    loaded, card = load_checkpoint(checkpoint, game)
    network = PlainNetwork(loaded.tensors, loaded.layout)
    observations = observations_of_games(game, network)
    output_of("export", str(checkpoint), f"--{file_format}", "--out", str(tmp_path))
    if runtime is None:
        np.save(tmp_path / "observations.npy", observations)
        subprocess.run([sys.executable, "-c", LOAD], cwd=tmp_path, check=True)
        outputs = dict(np.load(tmp_path / "outputs.npz"))
    else:
        session = runtime.InferenceSession(str(tmp_path / "network.onnx"))
        names = [output.name for output in session.get_outputs()]
        values = session.run(names, {"observation": observations})
        outputs = dict(zip(names, values, strict=True))
    assert_outputs(outputs, network, observations)
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["actions"] == list(game.actions.texts)
    assert config["weights_digest"] == card.weights_digest
    assert "license: mit\n" in (tmp_path / "README.md").read_text().split("---\n")[1]


def test_a_missing_library_is_named_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    game = registry.game("figaro")
    with pytest.raises(ModuleNotFoundError, match="export"):
        export(bundled_checkpoint(game), game, tmp_path / "made", ["torch", "onnx"])
    assert not (tmp_path / "made").exists()


FIGARO = bundled_checkpoint(registry.game("figaro"))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["network"], "--torch"),
        (["nowhere", "--torch"], "nowhere"),
        ([".", "--torch"], "card.json"),
        (["network", "--torch", "--game", "chess"], "chess"),
        ([str(FIGARO), "--torch", "--game", "shakespeare"], "--game: the checkpoint is of figaro"),
    ],
)
def test_arguments_that_name_nothing_to_export_are_refused(arguments, named, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert named in refusal_of("export", *arguments)
