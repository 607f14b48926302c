"""Training by self-play, and what it needs: rollouts, checkpoints, evaluation."""

import os

# Torch's threads wait for each other after every layer.  For some microseconds they do so awake,
# which makes small layers almost twice as fast as if they slept at once; for much longer, and a
# core that is shared with anything else would slow training down tenfold.  OpenMP reads the
# variable as torch is loaded, so it has to be set before that.
os.environ.setdefault("GOMP_SPINCOUNT", "1000")
# Without these MKL multiplies float32 matrices by whatever path suits the moment: under load a
# resumed run was seen to leave the bits of the uninterrupted one.
os.environ.setdefault("MKL_CBWR", "AVX2,STRICT")
os.environ.setdefault("MKL_DYNAMIC", "FALSE")
