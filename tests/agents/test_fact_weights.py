"""One network for every box: in each it is the plain network that its facts make of it."""

import numpy as np
import pytest
import torch
from shakespeare_env.core.fact_table import NONE, FactTable

from shakespeare_agents.networks import facts
from shakespeare_agents.networks.checkpoint import load_checkpoint, read_card, save_checkpoint
from shakespeare_agents.networks.forward_pass import ForwardPass, RememberingPass
from shakespeare_agents.networks.network import Network
from shakespeare_env.core import registry
from shakespeare_env.core.game import ObservationLayout
from shakespeare_env.errors import CheckpointError
from shakespeare_env.shakespeare import actions as a
from shakespeare_env.shakespeare.box import tables as t
from shakespeare_env.shakespeare.record import layout as at
from tests.agents.networks import edit_card, random_heads, random_tensors, random_views
from tests.training.ppo.policies import make_policy

BOXES, ENTITIES, FACTS = 3, 4, 2
ACTIONS, SEATS, WIDTH = 9, 4, 16
LAYOUT = ObservationLayout([("signed", 10, -3, 100, ""), ("small", 10, 0, 1, "")])
GAME = registry.game("shakespeare")


def table(name="cards", seed=0):
    numbers = np.random.default_rng(seed).integers(0, 6, (BOXES, ENTITIES, FACTS))
    inputs = np.array([[0, 1, NONE, 2], [10, 11, 12, 13]])
    actions = np.array([[3, NONE, 5, 8]])
    return FactTable(name, numbers.astype(np.int16), inputs, actions)


TABLES = (table(), table("spaces", 1))


@pytest.fixture
def tensors():
    rng = np.random.default_rng(2)
    found = random_tensors(WIDTH, LAYOUT.size, ACTIONS) | random_heads(WIDTH, SEATS)
    found |= {f"value.{kind}": found[f"score.{kind}"][:1] for kind in ("weight", "bias")}
    for name, shape in facts.shapes(TABLES, WIDTH).items():
        found[name] = rng.normal(size=shape).astype(np.float32)
    return found


@pytest.fixture
def views():
    """Observations that end with the box's number."""
    observations, masks = random_views(LAYOUT, 60, ACTIONS)
    boxes = np.zeros((60, 2), np.int8)
    boxes[:, 1] = np.arange(60) % BOXES
    return np.concatenate([observations, boxes], axis=1), masks


def test_facts_are_multiplied_with_what_is_seen_and_chosen(tensors):
    """The definition, written out for one box."""
    number = 2
    plain = facts.folded(tensors, TABLES, number)
    first, action = tensors["trunk.weight"].copy(), tensors["action.weight"].copy()
    bias = tensors["action.bias"].copy()
    for one in TABLES:
        seen, chosen, chosen_bias = (tensors[name] for name in facts.names(one))
        for entity, fact in np.ndindex(ENTITIES, FACTS):
            printed = one.facts[number, entity, fact] * facts.SCALE
            for row, index in enumerate(one.inputs[:, entity]):
                if index != NONE:
                    first[:, index] += printed * seen[:, row * FACTS + fact]
            for row, index in enumerate(one.actions[:, entity]):
                if index != NONE:
                    action[index] += printed * chosen[row * FACTS + fact]
                    bias[index] += printed * chosen_bias[row * FACTS + fact]
    for name, expected in (("trunk.weight", first), ("action.weight", action)):
        np.testing.assert_allclose(plain[name], expected, atol=1e-5)
    np.testing.assert_allclose(plain["action.bias"], bias, atol=1e-5)
    assert not facts.are_in(plain)
    with pytest.raises(ValueError, match=r"for printed facts; give the game's"):
        Network(tensors, LAYOUT)


def test_each_game_is_played_as_by_the_plain_network_of_its_box(tensors, views):
    observations, masks = views
    network = Network(tensors, LAYOUT, TABLES)
    forward, remembering = ForwardPass(network), RememberingPass(network)
    remembering.remember(7)
    for number in range(BOXES):
        rows = observations[:, -1] == number
        alone = ForwardPass(network.in_box(number))
        expected = alone.legal_logits(observations[rows], masks[rows])
        assert (forward.legal_logits(observations, masks)[rows] == expected).all()
        assert (forward.values(observations)[rows] == alone.values(observations[rows])).all()
        np.testing.assert_allclose(
            network.logits(observations)[rows], network.in_box(number).logits(observations[rows])
        )
    # Places at which games of other boxes begin.
    for row in range(len(observations)):
        remembering.places = np.array([row % 7])
        one = slice(row, row + 1)
        found = remembering.legal_logits(observations[one], masks[one])
        assert (found == forward.legal_logits(observations[one], masks[one])).all()


def test_what_is_trained_is_what_plays(tensors, views):
    observations, masks = views
    policy = make_policy(LAYOUT, ACTIONS, WIDTH, SEATS, TABLES)
    fresh = Network(policy.tensors(), LAYOUT, TABLES)
    policy.set_tensors(tensors)
    back = policy.tensors()
    assert back.keys() == tensors.keys()
    for name in tensors:
        np.testing.assert_allclose(back[name], tensors[name], atol=1e-5)
    with torch.no_grad():
        found = policy.outputs(torch.as_tensor(observations), torch.as_tensor(masks))
    logits = np.where(masks, Network(tensors, LAYOUT, TABLES).logits(observations), -1e8)
    expected = torch.log_softmax(torch.as_tensor(logits), dim=1).numpy()
    np.testing.assert_allclose(found.log_probabilities.numpy()[masks], expected[masks], atol=1e-3)
    # Fresh weights are the same in all boxes.
    moved = observations.copy()
    moved[:, -1] = 0
    np.testing.assert_allclose(fresh.logits(observations), fresh.logits(moved), atol=1e-5)


def test_the_tables_say_what_is_printed_about_what_they_point_at():
    cards, wearers, spaces, objectives, box = GAME.facts
    lear, supporter = t.CARD_IDS.index("lear"), t.SPACE_IDS.index("c5")
    assert cards.facts[0, lear, 0] == t.COST[0, lear]
    assert GAME.actions.texts[cards.actions[1, lear]] == "recruit:lear"
    assert cards.inputs[0, lear] == at.CARDS + lear
    assert GAME.actions.texts[wearers.actions[0, -1]] == f"costume:black>{t.WEARER_IDS[-1]}"
    assert GAME.actions.texts[spaces.actions[5, supporter]] == "set:yellow>c5"
    assert spaces.facts[0, supporter, 0] == t.CANDLE[0, supporter]
    assert objectives.facts[0].max() == t.STEP_PRESTIGE[0].max()
    assert box.actions[-1, 0] == a.PASS
    every = np.concatenate([one.inputs.ravel() for one in GAME.facts])
    assert len(set(every[every != NONE])) == (every != NONE).sum()


def test_a_checkpoint_keeps_them_and_plays_in_the_box_in_force(tmp_path):
    tensors = random_tensors(8, GAME.inputs.size, GAME.actions.size)
    tensors |= {name: np.ones(s, np.float32) for name, s in facts.shapes(GAME.facts, 8).items()}
    save_checkpoint(tmp_path, tensors, GAME, players=[4], command="", settings={}, figures={})
    assert read_card(tmp_path).facts == [one.name for one in GAME.facts]
    network, _ = load_checkpoint(tmp_path, GAME)
    folded = facts.folded(tensors, GAME.facts, 0)
    observations, masks = random_views(GAME.inputs, 20, GAME.actions.size)
    found = ForwardPass(network).legal_logits(observations, masks)
    assert (
        found == ForwardPass(Network(folded, GAME.inputs)).legal_logits(observations, masks)
    ).all()
    edit_card(tmp_path, facts=["cards"])
    with pytest.raises(CheckpointError, match=r"reads facts \['cards'\], which this version"):
        load_checkpoint(tmp_path, GAME)
