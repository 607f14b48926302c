"""What is legal and what it does, compiled."""
