"""Games that agents play: who sits where, how they are played, and where they are kept."""
