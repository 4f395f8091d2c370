"""An agent that says what an agent may say at any time, not only while a turn runs: its commands and its
title right after a session was opened, and what a turn used right after its answer.

    chatty.py AGENT [ARGUMENT...]

ACP: https://agentclientprotocol.com/protocol/v1/slash-commands#advertising-commands
"""

import sys

from between import run

# The session of each request that has not been answered, by its id.
prompts = {}


def before_agent(message):
    if message.get("method") == "session/prompt":
        prompts[message["id"]] = message["params"]["sessionId"]


def after_agent(message):
    if "method" in message:
        return []
    session = (message.get("result") or {}).get("sessionId")
    if session:
        commands = [{"name": "review", "description": "Look at what has changed"}]
        return [
            update(session, "available_commands_update", availableCommands=commands),
            update(session, "session_info_update", title="A session"),
        ]
    session = prompts.pop(message["id"], None)
    return [update(session, "usage_update", used=1200, size=200000)] if session else []


def update(session, kind, **members):
    params = {"sessionId": session, "update": {"sessionUpdate": kind, **members}}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


sys.exit(run(sys.argv[1:], before_agent, after_agent))
