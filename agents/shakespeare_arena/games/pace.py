"""The number of games that are played at once, judged by the time that agents take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shakespeare_env.play.lineup import Call

_FEWEST = 4
"""The fewest games at once, with which play begins."""
_GROWTH = 2
"""The factor by which the number of games at once grows at most after a step."""
_QUICK_GROWTH = 16
"""The same factor after a quick step, so that most games are played side by side."""
_QUICK_S = 0.01
"""The seconds below which a step is quick."""
_GAMES_S = 0.25
"""The seconds that games may add to a step, beyond the time that calls take for no game."""
_GAMES_PER_CALLS = 4.0
"""Games may also add this many times the time that calls take for no game, if that is more."""


class Pace:
    """Decides how many games are played at once.

    A call of an agent takes a fixed time, such as that of a request to a remote service, and some
    time for each of its games. More games at once are faster as long as the fixed time outweighs
    the rest. Beyond that they only delay the first result.

    Args:
        most: The most games at once.

    Attributes:
        games: The number of games to play at once now.
    """

    def __init__(self, most: int) -> None:
        self.games = min(_FEWEST, most)
        self._most = most
        self._times: dict[int, LinearTimes] = {}  # by agent

    def note(self, calls: Sequence[Call]) -> None:
        """Note the calls of a step, and judge the number of games anew."""
        step = 0.0  # seconds
        for call in calls:
            games = len(call.rows)
            seconds = float(np.mean(call.seconds)) * games
            step += seconds
            if call.agent in self._times:
                self._times[call.agent].add(games, seconds)
            else:  # the first call may load or compile something, so it is not timed
                self._times[call.agent] = LinearTimes()
        all_games = sum(times.games for times in self._times.values())
        per_call = 0.0  # fixed seconds of a step
        per_game = 0.0  # seconds of a step for each game
        for times in self._times.values():
            of_call, of_game = times.fit()
            per_call += of_call
            per_game += of_game * times.games / max(all_games, 1)
        affordable = max(_GAMES_S, _GAMES_PER_CALLS * per_call)
        games = (_QUICK_GROWTH if step < _QUICK_S else _GROWTH) * self.games
        if games * per_game > affordable:
            games = int(affordable / per_game)
        self.games = min(max(games, _FEWEST), self._most)


class LinearTimes:
    """A least-squares line through the times of steps that were made for several games each.

    Attributes:
        games: The games of all steps.
    """

    def __init__(self) -> None:
        self.games = 0
        self._steps = 0
        self._seconds = 0.0
        self._squares = 0
        self._products = 0.0

    def add(self, games: int, seconds: float) -> None:
        """Add the time of a step."""
        self.games += games
        self._steps += 1
        self._seconds += seconds
        self._squares += games * games
        self._products += games * seconds

    def fit(self, least: float = 0.0) -> tuple[float, float]:
        """Return the seconds of a step for no game, and those for each game.

        Args:
            least: The least seconds for each game. They are the result as long as all steps were
                for equally many games.
        """
        spread = self._steps * self._squares - self.games**2
        per_game = least
        if spread > 0:
            slope = (self._steps * self._products - self.games * self._seconds) / spread
            per_game = max(slope, least)
        per_step = (self._seconds - per_game * self.games) / max(self._steps, 1)
        return max(per_step, 0.0), per_game
