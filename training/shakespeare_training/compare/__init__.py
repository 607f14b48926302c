"""Several runs in one picture."""
