"""An MCP server through which a language model plays against agents.

- `model_game` tells a game in words.
- `tools` holds the games of a server and the tools for them, without MCP.
- `results` adds finished games to an arena's results.
- `server` offers the tools over MCP (extra `mcp`).
"""
