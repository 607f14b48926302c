"""Training by self-play, and what it needs: rollouts, checkpoints, evaluation."""

import os

# Torch's threads wait for each other after every layer.  For some microseconds they do so awake,
# which makes small layers almost twice as fast as if they slept at once; for much longer, and a
# core that is shared with anything else would slow training down tenfold.  OpenMP reads the
# variable as torch is loaded, so it has to be set before that.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")
