"""What a record may hold, and what a seat may know of it."""
