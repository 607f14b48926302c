"""Networks that learn, in PyTorch: the project's own, and those of users."""
