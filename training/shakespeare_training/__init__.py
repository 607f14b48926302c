"""Training agents by self-play: settings, the league of opponents, the learner and its runs."""
