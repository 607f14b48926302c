"""The compiled rules: set-up, legal actions, play and scores."""
