"""A session: its conversation on disk, and its tool servers.

ACP: https://agentclientprotocol.com/protocol/v1/session-setup
"""

import asyncio
import json
import os
import re
import uuid
from pathlib import Path

from acp.schema import McpServerStdio
from mcp import Client, StdioServerParameters

STATE = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
FOLDER = Path(STATE) / "acp-peer-python"


class Session:
    def __init__(self, id, cwd):
        self.id = id
        self.cwd = cwd
        self.mode = "default"
        self.history: list[tuple[str, str]] = []
        self.turn: asyncio.Task | None = None
        self.servers: list[Server] = []

    @classmethod
    def create(cls, cwd):
        return cls(str(uuid.uuid4()), cwd)

    @classmethod
    def load(cls, id, cwd):
        """The session of an earlier process, or None."""
        # An ID names a file: one that we did not make must not name another.
        if not re.fullmatch(r"[0-9a-f-]{36}", id):
            return None
        session = cls(id, cwd)
        try:
            session.history = json.loads((FOLDER / f"{id}.json").read_text())
        except FileNotFoundError:
            return None
        return session

    def save(self):
        """Written whole and then renamed, so that a load never finds half a conversation."""
        FOLDER.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = FOLDER / f"{self.id}.new"
        new.write_text(json.dumps(self.history))
        new.rename(FOLDER / f"{self.id}.json")

    async def start_servers(self, servers):
        for server in servers:
            if isinstance(server, McpServerStdio):
                self.servers.append(await Server.start(server, self.cwd))

    async def close_servers(self):
        await asyncio.gather(*(server.close() for server in self.servers))

    async def call_tool(self, name, arguments):
        """Calls a tool of the server that has it, and returns its structured answer."""
        for server in self.servers:
            if name in [tool.name for tool in (await server.client.list_tools()).tools]:
                result = await server.client.call_tool(name, arguments)
                if result.is_error:
                    raise RuntimeError(f"{name}: {result.content}")
                return result.structured_content
        raise RuntimeError(f"no tool server has {name}")


class Server:
    """A tool server. Its client is a context that must be left by the task that entered it."""

    @classmethod
    async def start(cls, server, cwd):
        self = cls()
        env = {variable.name: variable.value for variable in server.env}
        parameters = StdioServerParameters(command=server.command, args=server.args, env=env, cwd=cwd)
        self._stop = asyncio.Event()
        ready = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run(parameters, ready))
        await asyncio.wait([ready, self._task], return_when=asyncio.FIRST_COMPLETED)
        if self._task.done():
            self._task.result()
        return self

    async def _run(self, parameters, ready):
        async with Client(parameters) as self.client:
            ready.set_result(None)
            await self._stop.wait()

    async def close(self):
        self._stop.set()
        await self._task
