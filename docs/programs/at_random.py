"""An agent for `shakespeare arena` that plays at random: Python's standard library is all it needs.

Every line on standard input is a JSON object; the answer to a question is one, too.
"""

import json
import random
import sys

for line in sys.stdin:
    request = json.loads(line)
    if request["command"] == "move":
        move = random.choice(request["moves"])
        print(json.dumps({"id": request["id"], "move": move}), flush=True)
