"""A minimal right agent on the Python SDK: it passes all seven journeys of acp-journeys.

It shares no code with the reference agent and nothing with the checker: what it gets right, it gets
right by the protocol's pages alone. This file is the protocol; turn.py is what a turn does.

ACP: https://agentclientprotocol.com/protocol/v1/overview
"""

import asyncio
import signal

import acp
from acp.schema import (
    AgentCapabilities,
    Implementation,
    PromptCapabilities,
    SessionMode,
    SessionModeState,
    SetSessionModeResponse,
)

from session import Session
from turn import run_turn

MODES = [
    SessionMode(id="default", name="Default", description="Asks before each command"),
    SessionMode(id="plan", name="Plan", description="Reads, and saves plans"),
]


class PythonPeer(acp.Agent):
    def __init__(self):
        self.sessions: dict[str, Session] = {}

    def on_connect(self, conn):
        self.client = conn

    async def initialize(self, protocol_version, client_capabilities=None, client_info=None, **_):
        return acp.InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_info=Implementation(name="acp-peer-python", version="0.1.0"),
            agent_capabilities=AgentCapabilities(
                load_session=True, prompt_capabilities=PromptCapabilities(image=True)
            ),
        )

    async def new_session(self, cwd, additional_directories=None, mcp_servers=None, **_):
        session = Session.create(cwd)
        self.sessions[session.id] = session
        await session.start_servers(mcp_servers or [])
        return acp.NewSessionResponse(session_id=session.id, modes=modes(session))

    async def load_session(self, cwd, session_id, mcp_servers=None, additional_directories=None, **_):
        session = Session.load(session_id, cwd)
        if session is None:
            raise acp.RequestError.resource_not_found(session_id)
        self.sessions[session.id] = session
        await session.start_servers(mcp_servers or [])
        for role, text in session.history:
            said = acp.update_user_message_text if role == "user" else acp.update_agent_message_text
            await self.client.session_update(session.id, said(text))
        return acp.LoadSessionResponse(modes=modes(session))

    async def set_session_mode(self, session_id, mode_id, **_):
        session = self.find(session_id)
        if mode_id not in [mode.id for mode in MODES]:
            raise acp.RequestError.invalid_params({"modeId": mode_id})
        session.mode = mode_id
        return SetSessionModeResponse()

    async def prompt(self, session_id, prompt, **_):
        session = self.find(session_id)
        if session.turn is not None:
            raise acp.RequestError.invalid_request({"reason": "a turn runs in this session"})
        # Before anything is awaited, so that a cancel that is right behind finds the turn. A task of its
        # own, so that a cancel ends the turn and not this request.
        session.turn = asyncio.create_task(run_turn(session, prompt, self.client))
        await asyncio.wait([session.turn])
        turn, session.turn = session.turn, None
        if turn.cancelled():
            return acp.PromptResponse(stop_reason="cancelled")
        turn.result()
        return acp.PromptResponse(stop_reason="end_turn")

    async def cancel(self, session_id, **_):
        session = self.sessions.get(session_id)
        if session is not None and session.turn is not None:
            session.turn.cancel()

    async def close(self):
        """Stops the turns and closes the tool servers."""
        turns = [session.turn for session in self.sessions.values() if session.turn is not None]
        for turn in turns:
            turn.cancel()
        await asyncio.gather(*turns, return_exceptions=True)
        closing = [session.close_servers() for session in self.sessions.values()]
        await asyncio.gather(*closing, return_exceptions=True)

    def find(self, session_id) -> Session:
        if session_id not in self.sessions:
            raise acp.RequestError.resource_not_found(session_id)
        return self.sessions[session_id]


def modes(session):
    return SessionModeState(current_mode_id=session.mode, available_modes=MODES)


async def main():
    agent = PythonPeer()
    serving = asyncio.create_task(acp.run_agent(agent))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, serving.cancel)
    # The end of the input and a signal end it alike.
    await asyncio.wait([serving])
    await agent.close()


asyncio.run(main())
