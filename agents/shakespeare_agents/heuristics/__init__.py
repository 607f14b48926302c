"""Players with rules of thumb for one game; they see what any agent sees."""
