"""A second make of client: lines of JSON-RPC over standard input and output, without the SDK."""

import json
import subprocess
import sys

from shakespeare_env.core import registry

GAME = registry.names()[-1]
COMMAND = [sys.executable, "-m", "shakespeare_env", "mcp", "random", "--game", GAME]


class RawClient:
    """Asks one thing at a time."""

    def __init__(self, process):
        self.process, self.asked = process, 0

    def send(self, **message):
        print(json.dumps({"jsonrpc": "2.0", **message}), file=self.process.stdin, flush=True)

    def ask(self, method, **params):
        self.asked += 1
        self.send(id=self.asked, method=method, params=params)
        while (answer := json.loads(self.process.stdout.readline())).get("id") != self.asked:
            assert "method" in answer
        return answer["result"]

    def call(self, tool, **arguments):
        return self.ask("tools/call", name=tool, arguments=arguments)


def test_a_client_that_knows_the_protocol_alone_plays_a_game():
    pipe = subprocess.PIPE
    with subprocess.Popen(COMMAND, text=True, stdin=pipe, stdout=pipe) as process:
        assert process.stdin
        client = RawClient(process)
        about = {"capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}}
        told = client.ask("initialize", protocolVersion="2025-06-18", **about)
        assert told["protocolVersion"] == "2025-06-18"
        client.send(method="notifications/initialized")
        tools = {tool["name"]: tool for tool in client.ask("tools/list")["tools"]}
        assert all("outputSchema" in tool for tool in tools.values())
        names = [prompt["name"] for prompt in client.ask("prompts/list")["prompts"]]
        assert names == ["play_a_game", "review_my_game"]
        wrong = client.call("new_game", game=GAME, players="many")
        assert wrong["isError"]
        assert "many" in wrong["content"][0]["text"]
        table = client.call("new_game", game=GAME, players=3)["structuredContent"]["table"]
        answer = client.call("legal_moves", table=table)["structuredContent"]
        while not answer["over"]:
            move = answer["legal_moves"][0]["move"]
            answer = client.call("play", table=table, move=move)["structuredContent"]
        process.stdin.close()
        assert process.wait(30) == 0
