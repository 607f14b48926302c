"""Agents of a user's own, in a module that workers can import."""

import numpy as np


class Drawing:
    """An agent that draws a random legal action."""

    def act(self, observations, masks, rng):
        return (masks * rng.random()[:, None]).argmax(axis=1)


class Unpicklable(Drawing):
    """An agent that holds a generator, which cannot be pickled."""

    def __init__(self):
        self.numbers = (number for number in np.arange(3))


def last_legal(observations, masks, rng):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
