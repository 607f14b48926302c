"""Training by self-play, and what it needs: rollouts, checkpoints, evaluation."""

import os

# Torch's threads wait for each other after every layer.  If they do so by spinning, a core that is
# shared with anything else slows training down tenfold; sleeping costs a few per cent at worst.
# OpenMP reads the variable as torch is loaded, so it has to be set before that.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
