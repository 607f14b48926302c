"""An MCP server through which a language model plays against agents.

- `model_game` is one game in words.
- `tools` holds a server's games and what a model can ask of them, without MCP.
- `results` adds finished games to an arena's results.
- `server` offers the tools over MCP (extra `mcp`).
"""
