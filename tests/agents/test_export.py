"""Exported networks compute what the networks do, and load without our packages."""

import json
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("torch")

from shakespeare_agents.export import folder, torch_files
from shakespeare_agents.export.equality import difference, positions_of
from shakespeare_agents.export.folder import export
from shakespeare_agents.networks.bundled import bundled_checkpoint
from shakespeare_agents.networks.checkpoint import load_checkpoint, read_card
from shakespeare_env.core import registry
from shakespeare_env.errors import CheckpointError
from tests.contract.command_line import printed, refused

LOAD = """
import sys
import numpy, torch
for package in ("shakespeare_env", "shakespeare_agents", "shakespeare_training"):
    sys.modules[package] = None
sys.path.insert(0, ".")
from network import load
outputs = load(".")(torch.from_numpy(numpy.load("seen.npy")))
numpy.savez("outputs.npz", **{name: output.detach() for name, output in outputs.items()})
"""


def front_matter(text):
    """The YAML above a model card, as hubs read it."""
    yaml = pytest.importorskip("yaml")
    _, head, _ = text.split("---\n", 2)
    return yaml.safe_load(head)


@pytest.mark.parametrize(
    ("name", "version"), [(name, version) for name in registry.names() for version in (0, 1)]
)
def test_it_loads_with_pytorch_alone_and_computes_the_same(name, version, tmp_path):
    game = registry.game(name)
    checkpoint = bundled_checkpoint(game, version)
    network, card = load_checkpoint(checkpoint, game)
    said = printed("export", str(checkpoint), "--torch", "--out", str(tmp_path))
    assert "torch: in 10,000 positions the likeliest move is the same in 10,000" in said
    seen, masks = positions_of(game, network, card.players)
    seen, masks = seen[::50], masks[::50]
    np.save(tmp_path / "seen.npy", seen)
    subprocess.run([sys.executable, "-c", LOAD], cwd=tmp_path, check=True)
    outputs = dict(np.load(tmp_path / "outputs.npz"))
    assert ("win_logits" in outputs) == network.has_heads
    assert difference(network, lambda _: outputs, seen, masks).is_rounding
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["actions"] == list(game.actions.texts)
    assert config["weights_digest"] == card.weights_digest
    head = front_matter((tmp_path / "README.md").read_text())
    assert head["license"] == "mit"
    (model,) = head["model-index"]
    rates = [metric["value"] for metric in model["results"][0]["metrics"]]
    won = [row["win_rate"] for row in read_card(checkpoint).figures["history"]]
    assert rates
    assert {*rates} <= {round(rate, 4) for rate in won if rate is not None}


def test_a_missing_library_is_named_before_anything_is_played(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    monkeypatch.delitem(sys.modules, "shakespeare_agents.export.onnx_file", raising=False)
    monkeypatch.setattr(folder, "positions_of", None)
    game = registry.game("figaro")
    with pytest.raises(ModuleNotFoundError, match="install the extra export"):
        export(bundled_checkpoint(game), game, tmp_path / "made", ["torch", "onnx"])
    assert not (tmp_path / "made").exists()


def test_a_file_that_computes_something_else_is_refused(tmp_path, monkeypatch):
    game = registry.game("figaro")
    monkeypatch.setattr(torch_files, "input_scale", lambda layout: np.ones(layout.size, np.float32))
    with pytest.raises(CheckpointError, match=r"`network.py` differ from the network: in 10,000"):
        export(bundled_checkpoint(game), game, tmp_path, ["torch"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["network"], "give --onnx, --torch or both"),
        (["nowhere", "--torch"], "there is no folder 'nowhere'"),
        (["network,version=99", "--torch"], "has no version 99"),
        (["network,greedy=true", "--torch"], "no option 'greedy'"),
        ([".", "--torch"], "card.json"),
    ],
)
def test_what_cannot_be_exported(arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert said in refused("export", *arguments)
