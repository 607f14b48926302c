"""Arguments and options that commands with agents share, and the command `export`."""
