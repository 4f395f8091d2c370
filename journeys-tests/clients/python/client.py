"""The seven journeys' prompts through the client role of the Python SDK.

    python client.py AGENT [ARGS]...

Each journey starts an agent of its own. The SDK reads every message by the schema, so a journey that
passes here also says that the messages are right.

ACP: https://agentclientprotocol.com/protocol/v1/overview
"""

import asyncio
import base64
import os
import sys
import tempfile
import uuid
from contextlib import asynccontextmanager
from pathlib import Path

from acp import PROTOCOL_VERSION, Client, image_block, spawn_agent_process, text_block
from acp.schema import AllowedOutcome, McpServerStdio, RequestPermissionResponse

AGENT = sys.argv[1:]
RONDAR = os.environ["RONDAR"]
RED = base64.b64encode(Path(os.environ["RED_PNG"]).read_bytes()).decode()

# Only a failure waits for it.
DEADLINE = 60


def marker(kind):
    return f"{kind}-{uuid.uuid4().hex[:8]}"


class Seeing(Client):
    """A client that keeps what it is told and allows what it is asked."""

    def __init__(self):
        self.updates = []
        self.running = asyncio.Event()

    async def session_update(self, session_id, update, **kwargs):
        self.updates.append(update)
        if getattr(update, "status", None) == "in_progress":
            self.running.set()

    async def request_permission(self, session_id, tool_call, options, **kwargs):
        allow = next(option for option in options if option.kind == "allow_once")
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=allow.option_id))

    def said(self, kind):
        chunks = [update for update in self.updates if update.session_update == kind]
        return "".join(getattr(chunk.content, "text", "") for chunk in chunks)


class Scene:
    """An agent that was initialized, in a folder."""

    def __init__(self, agent, client, folder, capabilities):
        self.agent, self.client, self.folder, self.capabilities = agent, client, folder, capabilities
        self.session = None
        self.modes = None

    async def open(self, servers=()):
        opened = await self.agent.new_session(cwd=str(self.folder), mcp_servers=list(servers))
        self.session, self.modes = opened.session_id, opened.modes

    async def turn(self, words, *blocks):
        self.client.updates.clear()
        answer = await self.agent.prompt(session_id=self.session, prompt=[text_block(words), *blocks])
        return answer.stop_reason, self.client.said("agent_message_chunk")

    async def mode(self, mode):
        await self.agent.set_session_mode(session_id=self.session, mode_id=mode)


@asynccontextmanager
async def agent_in(folder):
    client = Seeing()
    # Everything but the limits of a pipe is the SDK's own.
    async with spawn_agent_process(client, AGENT[0], *AGENT[1:], cwd=folder, env=dict(os.environ)) as (agent, process):
        answer = await agent.initialize(protocol_version=PROTOCOL_VERSION)
        yield Scene(agent, client, folder, answer.agent_capabilities)
    assert process.returncode == 0, f"the agent's exit status is {process.returncode}"


async def remember(scene, word):
    stop, said = await scene.turn(f"Remember this word: {word}. Reply with exactly ACK and nothing else.")
    assert (stop, said) == ("end_turn", "ACK"), (stop, said)


async def recall(scene, word):
    _, said = await scene.turn("Which word did I ask you to remember? Reply with the word.")
    assert word in said, f"{word} is not in {said!r}"


class Rondar:
    """The server of the plan tools, and what it was asked."""

    def __init__(self, folder):
        self.record = folder / "record.jsonl"
        self.server = McpServerStdio(name="rondar", command=RONDAR, args=["--record", str(self.record)], env=[])

    def calls(self):
        lines = self.record.read_text().splitlines() if self.record.exists() else []
        return [line for line in lines if "_plan" in line]


async def save_plan(scene, rondar):
    title, words = marker("TITLE"), marker("TIDE")
    (scene.folder / "plan.txt").write_text(f"{words}\n")
    before = len(rondar.calls())
    stop, _ = await scene.turn(
        "Please save a plan, and change no file. First run the shell command `cat plan.txt` and note what it "
        f'prints. Then call the tool create_plan with the title "{title}" and with a description that holds the '
        "whole output of the cat command. After that call the tool get_plan with the ID of that plan, to read it "
        "back. At the end reply with the plan ID."
    )
    assert stop == "end_turn", stop
    made = rondar.calls()[before:]
    assert any(title in line and words in line for line in made), "create_plan was not called"
    assert any("get_plan" in line for line in made), "get_plan was not called"


async def reply(folder):
    async with agent_in(folder) as scene:
        await scene.open()
        word = marker("WORD")
        answered = await scene.turn(f"Reply with exactly {word} and nothing else.")
        assert answered == ("end_turn", word), answered


async def memory(folder):
    async with agent_in(folder) as scene:
        await scene.open()
        word = marker("WORD")
        await remember(scene, word)
        await recall(scene, word)


async def load(folder):
    word = marker("WORD")
    async with agent_in(folder) as scene:
        await scene.open()
        await remember(scene, word)
        session = scene.session
    async with agent_in(folder) as scene:
        assert scene.capabilities.load_session
        scene.session = session
        await scene.agent.load_session(cwd=str(folder), session_id=session)
        await recall(scene, word)


async def image(folder):
    async with agent_in(folder) as scene:
        assert scene.capabilities.prompt_capabilities.image
        await scene.open()
        word = marker("WORD")
        (folder / "word.txt").write_text(f"{word}\n")
        _, said = await scene.turn(
            f"Read the text file {folder}/word.txt and look at the attached image. "
            "Reply with the word that is in the file and the name of the colour of the image.",
            image_block(RED, "image/png"),
        )
        assert word in said and "red" in said.lower(), said


async def cancel(folder):
    async with agent_in(folder) as scene:
        await scene.open()
        turn = asyncio.create_task(scene.turn("Run the shell command sleep 120 and wait for it."))
        await scene.client.running.wait()
        await scene.agent.cancel(session_id=scene.session)
        stop, _ = await turn
        assert stop == "cancelled", stop


async def plan(folder):
    rondar = Rondar(folder)
    async with agent_in(folder) as scene:
        await scene.open([rondar.server])
        await scene.mode("plan")
        await save_plan(scene, rondar)


async def modes(folder):
    rondar = Rondar(folder)
    created = folder / "created.txt"
    create = (
        "Now create a file: run the shell command `echo created > created.txt`. Reply with DONE when the file is there."
    )
    async with agent_in(folder) as scene:
        await scene.open([rondar.server])
        await scene.mode("plan")
        await save_plan(scene, rondar)
        await scene.turn(create)
        assert not created.exists(), "a file was written in plan mode"
        await scene.mode(scene.modes.current_mode_id)
        await scene.turn(create)
        assert created.exists(), "the file is not there"
        await scene.mode("plan")
        await save_plan(scene, rondar)


async def main():
    for journey in (reply, memory, load, image, cancel, plan, modes):
        name = journey.__name__
        with tempfile.TemporaryDirectory(prefix="acp-client-") as folder:
            try:
                await asyncio.wait_for(journey(Path(folder)), DEADLINE)
                print(f"pass {name}", flush=True)
            except Exception as error:  # whatever it is, it is this journey's
                print(f"fail {name}: {type(error).__name__} {error}".replace("\n", " "), flush=True)


asyncio.run(main())
