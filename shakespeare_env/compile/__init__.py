"""Rules as machine code, and the folder that keeps it."""
