"""Who sits at the learner's table: the learner itself, earlier versions of it, other agents.

Everybody keeps a seat until the game is over: a player that changed in the middle would spoil both
the trajectories and the figures.  Earlier versions are drawn by how hard they are, as the league of
AlphaStar draws them (Vinyals et al. 2019, prioritised fictitious self-play): with weight (1 - x)^2,
where x is how often the learner has lately beaten them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

import shakespeare_agents
from shakespeare_agents import AnyAgent
from shakespeare_agents.network import Network, NetworkAgent, Tensors
from shakespeare_agents.storage import StoredTensors
from shakespeare_env.batch import Batch
from shakespeare_env.errors import CheckpointError
from shakespeare_env.game import Game
from shakespeare_training.config import CURRENT, PAST

LEARNER = -1
"""In a lineup: the learner has this seat."""
NOBODY = -2
"""In a lineup: there is no such seat at this table."""
_MEMORY = 0.99
"""What a game counts once another one has been played: the learner changes."""


@dataclass
class Member:
    """An opponent.

    Attributes:
        name: As settings and displays name it.
        agent: Who plays.
        tensors: The weights of an earlier version of the learner, None for any other agent.
        games: Games against it, older ones counting less.
        beaten: In how many of them the learner came out before it, half for equals.
        stored: The file of its weights once they have been saved.
    """

    name: str
    agent: AnyAgent
    tensors: Tensors | None = None
    games: float = 0.0
    beaten: float = 0.0
    stored: StoredTensors | None = None

    @property
    def win_rate(self) -> float:
        """How often the learner beats it, 0 to 1; 0.5 is parity at any number of seats.

        Two games, one won and one lost, are counted in from the start.
        """
        return (self.beaten + 1.0) / (self.games + 2.0)

    @property
    def weight(self) -> float:
        """How much it is wanted as an opponent."""
        return (1.0 - self.win_rate) ** 2


class League:
    """The opponents of one learner, and who sits where in the games of a batch.

    Args:
        opponents: Weights by name: `current`, `past`, or an agent's name or folder.
        batch: The games.
        snapshots: Most earlier versions that are kept.
        seed: Of the draws: who sits where, and what opponents play.

    Attributes:
        batch: As given.
        lineup: int32[n, S], who sits at each seat of each game: LEARNER, NOBODY or the number of a
            member.
        members: All opponents by number, also those that only finish their games.
        past: Numbers of the earlier versions that may be drawn, oldest first.
        guest: Number of the one that plays in the games that begin at present, if any.
        finished: Games that have ended so far.
        rng: Decides all draws.
    """

    def __init__(
        self, opponents: Mapping[str, float], batch: Batch, *, snapshots: int, seed: int
    ) -> None:
        self.snapshots = snapshots
        self.finished = 0
        self.rng = np.random.default_rng([seed, 1])
        self.past: list[int] = []
        self.guest: int | None = None
        self._guest_until = 0
        named = [name for name in opponents if name not in (CURRENT, PAST)]
        self.members = {
            number: Member(name, shakespeare_agents.make(name, batch.game)) for number, name in enumerate(named)
        }
        self._named = len(named)
        self._blas = ThreadpoolController()
        weights = [opponents.get(kind, 0.0) for kind in (CURRENT, PAST)]
        weights += [opponents[name] for name in named]
        self._shares = np.array(weights) / sum(weights)
        self.batch = batch
        self._next = self._named
        self.lineup = np.full((batch.n, batch.game.max_seats), NOBODY, np.int32)
        self.sit_down(np.arange(batch.n))

    @property
    def game(self) -> Game:
        """What is played."""
        return self.batch.game

    def sit_down(self, rows: NDArray[np.int64]) -> None:
        """Settle who plays in games that have just begun, int64[m]."""
        players = self.batch.players[rows]
        lineup = np.full((len(rows), self.lineup.shape[1]), LEARNER, np.int32)
        kinds = self.rng.choice(len(self._shares), len(rows), p=self._shares)
        seats = (self.rng.random(len(rows)) * players).astype(np.int64)
        version = self._version()
        for place in np.flatnonzero((kinds > 0) & (players > 1)):
            lineup[place] = version if kinds[place] == 1 else kinds[place] - 2
            lineup[place, seats[place]] = LEARNER
        lineup[np.arange(lineup.shape[1]) >= players[:, None]] = NOBODY
        self.lineup[rows] = lineup

    def _version(self) -> int:
        """The earlier version that plays in the games that begin now.

        It is drawn anew, the hard ones more often, when as many games have ended as are played at
        once: few versions are at the tables at the same time, because the weights of each are read
        anew for every step.  The learner itself stands in as long as there are none.
        """
        if self.past and (self.guest is None or self.finished >= self._guest_until):
            weights = np.array([self.members[number].weight for number in self.past])
            self.guest = int(self.rng.choice(self.past, p=weights / weights.sum()))
            self._guest_until = self.finished + self.batch.n
        return LEARNER if self.guest is None else self.guest

    def learner_decides(self) -> NDArray[np.bool_]:
        """bool[n], in which games the learner is to decide."""
        found: NDArray[np.bool_] = self._who() == LEARNER
        return found

    def _who(self) -> NDArray[np.int32]:
        who: NDArray[np.int32] = self.lineup[np.arange(self.batch.n), self.batch.to_move]
        return who

    def decide(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """What the opponents play in games that wait for one of them, int64[m]."""
        numbers, who = np.unique(self._who()[rows], return_inverse=True)
        deciding = [self.members[int(number)].agent for number in numbers]
        generators = [self.rng] * len(deciding)
        # A few rows are multiplied sooner than a second thread of NumPy's BLAS is awake, which
        # would then spin where PyTorch's threads are to work.
        with self._blas.limit(limits=1, user_api="blas"):
            return shakespeare_agents.decide_together(deciding, generators, self.batch, rows, who)

    def finish(self, rows: NDArray[np.int64]) -> None:
        """Note how games ended, int64[m]; afterwards `sit_down` settles who plays the next ones."""
        self.finished += len(rows)
        scores = self.batch.final_scores[rows].astype(np.float64)
        for lineup, score in zip(self.lineup[rows], scores, strict=True):
            others = np.flatnonzero(lineup >= 0)
            if len(others):
                member = self.members[int(lineup[others[0]])]
                own = score[lineup == LEARNER].mean()
                beaten = np.mean((own > score[others]) + 0.5 * (own == score[others]))
                member.games = member.games * _MEMORY + 1.0
                member.beaten = member.beaten * _MEMORY + float(beaten)

    def add_version(self, name: str, tensors: Tensors) -> None:
        """Keep the learner as it is now, as an opponent from the next games on.

        Args:
            name: Such as the number of decisions it has learnt from.
            tensors: Its weights; they are kept, not copied.
        """
        self._take_in(self._next, Member(name, self._agent(tensors), tensors))
        self._next += 1
        if len(self.past) > self.snapshots:
            # The newest has not been tried yet: it stays.
            easiest = min(self.past[:-1], key=lambda number: self.members[number].weight)
            self.past.remove(easiest)
            if easiest == self.guest:
                self.guest = None
        self._let_go()

    def _take_in(self, number: int, member: Member) -> None:
        self.members[number] = member
        self.past.append(number)

    def _agent(self, tensors: Tensors) -> NetworkAgent:
        return NetworkAgent(Network(tensors, self.batch.game.layout), greedy=False)

    def _let_go(self) -> None:
        """Forget versions that cannot be drawn and whose games are over."""
        kept = {*range(self._named), *self.past, *np.unique(self.lineup).tolist()}
        self.members = {number: member for number, member in self.members.items() if number in kept}

    def _digests(self) -> dict[str, str]:
        """Which weights agents play from that were named."""
        named = [self.members[number] for number in range(self._named)]
        return {member.name: digest_of(member.agent) for member in named}

    def to_json(self) -> dict[str, Any]:
        """All but the lineup and the weights, for `restore`."""
        return {
            "members": [
                {"number": number, "name": m.name, "games": m.games, "beaten": m.beaten}
                for number, m in self.members.items()
            ],
            "past": self.past,
            "guest": self.guest,
            "guest_until": self._guest_until,
            "digests": self._digests(),
            "next": self._next,
            "finished": self.finished,
            "rng": self.rng.bit_generator.state,
        }

    def restore(
        self, data: Mapping[str, Any], versions: Mapping[int, Tensors], lineup: NDArray[np.int32]
    ) -> None:
        """Go on where another league stood.

        Args:
            data: What `to_json` gave.
            versions: Weights of the earlier versions by number.
            lineup: int32[n, S].

        Raises:
            CheckpointError: an agent that is no version of the learner has other weights by now.
        """
        for name, digest in self._digests().items():
            if data["digests"].get(name) != digest:
                raise CheckpointError(
                    f"the opponent {name!r} has other weights than when the run began, so that the "
                    "run would not be the same; put the old ones back"
                )
        for entry in data["members"]:
            number = int(entry["number"])
            if number in versions:
                tensors = versions[number]
                self.members[number] = Member(entry["name"], self._agent(tensors), tensors)
            self.members[number].games = float(entry["games"])
            self.members[number].beaten = float(entry["beaten"])
        self.past = [int(number) for number in data["past"]]
        self.guest = None if data["guest"] is None else int(data["guest"])
        self._guest_until = int(data["guest_until"])
        self._next = int(data["next"])
        self.finished = int(data["finished"])
        self.rng.bit_generator.state = data["rng"]
        self.lineup[:] = lineup


def digest_of(agent: AnyAgent) -> str:
    """SHA-256 of the weights an agent plays from; an empty text if it has none."""
    if not isinstance(agent, NetworkAgent):
        return ""
    digest = hashlib.sha256()
    for name, tensor in sorted(agent.network.tensors.items()):
        digest.update(name.encode() + tensor.tobytes())
    return digest.hexdigest()


def standings(league: League) -> Sequence[tuple[str, int, float]]:
    """Name, games and win rate of the learner for opponents it has met, earlier versions as one."""
    named = [member for member in league.members.values() if member.tensors is None]
    rows = [(m.name, round(m.games), m.beaten / m.games) for m in named if m.games]
    past = [league.members[number] for number in league.past]
    if games := sum(m.games for m in past):
        rows.append((PAST, round(games), sum(m.beaten for m in past) / games))
    return rows
