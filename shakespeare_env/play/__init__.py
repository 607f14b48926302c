"""Games that agents play, and the history of these games."""
