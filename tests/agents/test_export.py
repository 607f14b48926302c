"""Exported networks compute what the networks do, and load without our packages."""

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
outputs = load(".")(torch.from_numpy(numpy.load("seen.npy")))
numpy.savez("outputs.npz", **{name: output.detach() for name, output in outputs.items()})
"""


def positions(game, network):
    """int8[n, D] of games in which the network plays half of the decisions."""
    batch = Batch(game.name, n=8, players=game.max_seats, seed=0)
    seen = []
    for step in range(60):
        seen.append(batch.obs.copy())
        likeliest = np.where(batch.mask, network.logits(seen[-1]), -np.inf).argmax(axis=1)
        batch.step(likeliest if step % 2 else batch.random_actions())
    return np.concatenate(seen)


def check(network, seen, outputs):
    """The outputs are the network's; of shares of the victory at a full table."""
    expected = {"logits": network.logits(seen), "value": network.values(seen)}
    if network.has_heads:
        likely = np.exp(outputs.pop("win_logits"))
        outputs["shares"] = likely / likely.sum(1, keepdims=True)
        seats = np.full(len(seen), likely.shape[1])
        expected["shares"], expected["changes"] = network.forecasts(seen, seats)
    assert outputs.keys() == expected.keys()
    for name, output in outputs.items():
        np.testing.assert_allclose(output, expected[name], atol=1e-3)


@pytest.mark.parametrize(
    ("name", "version", "form"),
    [("shakespeare", 0, "torch"), ("figaro", 1, "torch"), ("figaro", 0, "onnx")],
)
def test_it_loads_without_our_packages_and_computes_the_same(name, version, form, tmp_path):
    runtime = pytest.importorskip("onnxruntime") if form == "onnx" else None
    game = registry.game(name)
    checkpoint = bundled_checkpoint(game, version)
    loaded, card = load_checkpoint(checkpoint, game)
    network = PlainNetwork(loaded.tensors, loaded.layout)
    seen = positions(game, network)
    output_of("export", str(checkpoint), f"--{form}", "--out", str(tmp_path))
    if runtime is None:
        np.save(tmp_path / "seen.npy", seen)
        subprocess.run([sys.executable, "-c", LOAD], cwd=tmp_path, check=True)
        check(network, seen, dict(np.load(tmp_path / "outputs.npz")))
    else:
        session = runtime.InferenceSession(str(tmp_path / "network.onnx"))
        names = [output.name for output in session.get_outputs()]
        found = session.run(names, {"observation": seen})
        check(network, seen, dict(zip(names, found, strict=True)))
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
def test_what_cannot_be_exported(arguments, named, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert named in refusal_of("export", *arguments)
