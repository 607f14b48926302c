"""Let an exported network play a game against itself.

    shakespeare export network --onnx --out exports/mine
    python docs/libraries/onnxruntime_game.py exports/mine

The network needs only ONNX Runtime and NumPy.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import onnxruntime

from shakespeare_env import Position

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
folder = parser.parse_args().folder
config = json.loads((folder / "config.json").read_text())
network = onnxruntime.InferenceSession(folder / "network.onnx")
position = Position.new(config["game"], players=3, seed=7)
while position.to_move is not None:
    observation = position.observation(position.to_move)[None]
    (logits,) = network.run(["logits"], {"observation": observation})[0]
    legal = np.where(position.action_mask(), logits, -np.inf)
    position.push(position.move_text(int(legal.argmax())))
print("scores", position.scores(), "winners", position.winners)
