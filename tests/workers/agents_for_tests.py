"""Agents of a user's own, in a module that workers can import."""

import asyncio

import numpy as np


class Drawing:
    """An agent that draws a random legal action."""

    def act(self, observations, masks, rng):
        return (masks * rng.random()[:, None]).argmax(axis=1)


class AsyncDrawing(Drawing):
    """An agent that decides in all games at the same time, some earlier than others."""

    async def act(self, observations, masks, rng):
        actions = super().act(observations, masks, rng)

        async def one(place):
            await asyncio.sleep(0.001 * (place % 3))
            return actions[place]

        return np.array(await asyncio.gather(*map(one, range(len(masks)))))


class Unpicklable(Drawing):
    """An agent that holds a generator, which cannot be pickled."""

    def __init__(self):
        self.numbers = (number for number in np.arange(3))


def last_legal(observations, masks, rng):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
