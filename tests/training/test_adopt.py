"""Adoption: a network learns to decide as any agent does, and is measured against it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shakespeare_agents.making import Entrant, make
from shakespeare_agents.networks.checkpoint import CARD_NAME, load_checkpoint, read_card
from shakespeare_env.core import registry
from shakespeare_env.play.generators import GameGenerators
from shakespeare_training.adoption import AdoptionSettings, adopt_agent
from shakespeare_training.learners.distillation import DemonstrationLineup
from shakespeare_training.stopping import Stop, Stopped
from tests.contract.command_line import output_of, refusal_of
from tests.training.toy_game import NAME, make_toy

pytestmark = pytest.mark.usefixtures("toy")

SHORT = AdoptionSettings(minutes=None, decisions=60_000, width=32, games=8)
CODE = """
import numpy as np

class Mixed:
    '''Takes one with a probability of 0.8 from even piles, else two.'''

    def act(self, observations, masks, rng):
        return self.probabilities(observations, masks).argmax(1)

    def probabilities(self, observations, masks):
        even = observations[:, :15].argmax(1) % 2 == 0
        likely = np.zeros(masks.shape, np.float32)
        likely[:, 0] = np.where(even, 0.8, 0.1)
        likely[:, 1] = 1 - likely[:, 0]
        return likely

def third(observations, masks, rng):
    return np.where(masks[:, 2], 2, 0)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Enter a folder with code of agents."""
    monkeypatch.chdir(tmp_path)
    Path("my.py").write_text(CODE)


def probabilities_of(player, batch):
    """Return the probabilities of an agent's actions in all games of a batch."""
    agent: Any = make(player, batch.game)
    return agent.probabilities(batch.obs, batch.mask)


def test_a_network_learns_an_agents_probabilities_at_every_table():
    adoption = adopt_agent("my.py:Mixed", Path("mine"), SHORT, NAME)
    assert [agreement.players for agreement in adoption.agreements] == [1, 2, 3, 4]
    for agreement in adoption.agreements:
        assert agreement.low <= agreement.share <= agreement.high <= 1
        assert agreement.share > 0.95
        assert agreement.divergence < 0.05
    assert "no probabilities" not in str(adoption)
    assert max(map(len, str(adoption).splitlines())) <= 80
    assert "…" not in str(adoption)
    assert [evaluation.players for evaluation in adoption.evaluations] == [2, 3, 4]
    assert adoption.evaluations[2].entrants == ("mine", *["my.py:Mixed"] * 3)

    card = read_card(Path("mine"))
    assert card.figures == adoption.figures()
    assert card.figures["decisions"] >= 60_000
    assert card.players == [1, 2, 3, 4]
    registry.game(NAME)
    batch = make_toy(n=64, players=2)
    adopted = probabilities_of("mine", batch)
    original = probabilities_of("my.py:Mixed", batch)
    np.testing.assert_allclose(adopted, original, atol=0.15)


def test_an_adoption_of_a_number_of_decisions_can_be_repeated():
    settings = AdoptionSettings(minutes=None, decisions=3_000, players=[2], width=8, games=2)
    for folder in ("first", "second"):
        adopt_agent("my.py:Mixed", Path(folder), settings, NAME)
    assert read_card(Path("first")).players == [2]
    digests = [read_card(Path(folder)).weights_digest for folder in ("first", "second")]
    assert digests[0] == digests[1]


def test_moves_are_learned_as_certain_from_an_agent_without_probabilities():
    output = output_of(
        *("adopt", "my.py:third", "--game", NAME, "--decisions", "30000", "--width", "32"),
        *("--games", "2", "--out", "mine"),
    )
    assert "The agent gives no probabilities" in " ".join(output.split())
    assert "Checkpoint  mine" in output
    registry.game(NAME)
    batch = make_toy(n=64, players=3)
    adopted = probabilities_of("mine", batch)
    assert (adopted[batch.mask[:, 2], 2] > 0.75).all()
    card = read_card(Path("mine"))
    assert card.figures["agent_has_probabilities"] is False
    assert card.command.startswith(f"shakespeare adopt my.py:third --game {NAME} --decisions 30000")


def test_the_agent_is_asked_in_the_networks_games_and_after_random_moves():
    """The forecasts learn from no decision that a random move follows."""
    batch = make_toy(n=40, players=2, autoreset=False, reward="score")
    is_learners = np.arange(40) < 20

    class TakesOne:
        def probabilities(self, observations, masks):
            return np.eye(3, dtype=np.float32)[np.zeros(len(masks), int)]

    lineup = DemonstrationLineup(
        batch,
        GameGenerators.of_games(0, np.arange(40)),
        Entrant("my.py:third", make("my.py:third", registry.game(NAME))),
        TakesOne(),
        is_learners=is_learners,
        random_share=np.where(np.arange(40) % 2 == 0, 0.5, 0.0),
        draws=True,
    )
    played = lineup.play()
    assert (played["probabilities"].argmax(1) == np.where(played["masks"][:, 2], 2, 0)).all()
    counts = np.bincount(played["games"])
    assert counts[1:20:2].min() > counts[21::2].max()  # taking one, games are longer
    has_random_moves = played["games"] % 2 == 0
    assert played["has_outcome"][~has_random_moves].all()
    assert 0 < played["has_outcome"][has_random_moves].mean() < 0.6
    assert (played["shares"].sum(axis=1) == 1).all()


def test_a_stop_keeps_what_is_learned_and_nothing_is_saved_before():
    stop = Stop()

    def stop_once_learned(_stage, _share, learned):
        if "the same" in learned and not stop.requested:
            stop.request()

    settings = AdoptionSettings(width=8, games=2)
    adoption = adopt_agent(
        "my.py:Mixed", Path("mine"), settings, NAME, stop=stop, on_progress=stop_once_learned
    )
    assert 0 < adoption.decisions < 10_000
    load_checkpoint(Path("mine"), registry.game(NAME))

    stop = Stop()
    with pytest.raises(Stopped):
        adopt_agent(
            "my.py:Mixed",
            Path("nothing"),
            settings,
            NAME,
            stop=stop,
            on_progress=lambda *_: stop.request(),
        )
    assert not (Path("nothing") / CARD_NAME).exists()


@pytest.mark.parametrize(
    ("returned", "fault"),
    [
        ("np.ones((len(masks), 2))", r"the shape \(\d+, 2\), not"),
        ("masks / 9", "each row must have no negative number, add up to 1"),
        ("np.eye(3)[[2] * len(masks)]", "be 0 for illegal actions"),
    ],
)
def test_wrong_probabilities_are_refused(returned, fault):
    code = CODE.replace("        return likely", f"        return {returned}")
    Path("wrong.py").write_text(code)
    with pytest.raises(ValueError, match=fault):
        adopt_agent("wrong.py:Mixed", Path("mine"), SHORT, NAME)


def test_an_adoption_needs_a_limit_and_a_new_folder():
    with pytest.raises(ValueError, match="nothing ends the adoption"):
        adopt_agent("random", Path("mine"), AdoptionSettings(minutes=None), NAME)
    Path("old").mkdir()
    (Path("old") / CARD_NAME).write_text("{}")
    refusal = refusal_of("adopt", "random", "--game", NAME, "--out", "old")
    assert "already holds a checkpoint" in refusal
