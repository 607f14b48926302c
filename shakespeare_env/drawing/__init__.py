"""What drawings of any game are made of."""
