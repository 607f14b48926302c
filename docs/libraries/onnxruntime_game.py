"""A game that an exported network plays against itself.

    shakespeare export network --onnx --out exports/mine
    python docs/libraries/onnxruntime_game.py exports/mine

The network needs ONNX Runtime and NumPy alone.  The engine is another
program, which may be in an environment of its own:

    python onnxruntime_game.py exports/mine --engine .venv/bin/shakespeare
"""

import argparse
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import onnxruntime

PLAYERS, SEED = 3, 7
PLACE = re.compile(r"\{\+(\d)\}")  # {+1} is the next seat clockwise

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path)
parser.add_argument("--engine", default="shakespeare")
asked = parser.parse_args()
if not shutil.which(asked.engine):
    parser.error(f"--engine: no command {asked.engine}; give its path")
folder = asked.folder
config = json.loads((folder / "config.json").read_text())
network = onnxruntime.InferenceSession(folder / "network.onnx")
command = [asked.engine, "mcp", "--json-lines"]
pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}


def ask(**question):
    print(json.dumps(question), file=engine.stdin, flush=True)
    return json.loads(engine.stdout.readline())["result"]


def text(action, seat):
    """What an action is called when this seat moves."""
    places = range(PLAYERS)
    seats = {str(place): str((seat + place) % PLAYERS) for place in places}
    return PLACE.sub(lambda found: seats.get(found[1], "nobody"), action)


def likeliest(seat):
    seen = np.array(
        [ask(command="observe", seat=seat)["observation"]], np.int8
    )
    (logits,) = network.run(["logits"], {"observation": seen})[0]
    scores = {
        text(a, seat): x
        for a, x in zip(config["actions"], logits, strict=True)
    }
    return max(ask(command="moves")["moves"], key=scores.__getitem__)


with subprocess.Popen(command, text=True, **pipes) as engine:
    table = {"players": PLAYERS, "game": config["game"], "seed": SEED}
    at = ask(command="new", **table)
    while at["to_move"] is not None:
        at = ask(command="play", move=likeliest(at["to_move"]))
    engine.stdin.close()
print("scores", at["scores"], "winners", at["winners"])
