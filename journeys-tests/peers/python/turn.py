"""One turn: what the words ask for is done step by step, and each step is told to the client.

The "model" is a table of phrases. What matters is what surrounds it: every tool call gets its end, the
reply comes before the answer, and the conversation is on disk by then.

ACP: https://agentclientprotocol.com/protocol/v1/prompt-turn
"""

import asyncio
import contextlib
import re
from pathlib import Path

import acp
from acp.schema import PermissionOption, ToolCallUpdate

from colour import colour_of
from command import run_command

OPTIONS = [
    PermissionOption(option_id="yes", name="Allow", kind="allow_once"),
    PermissionOption(option_id="no", name="Reject", kind="reject_once"),
]


async def run_turn(session, prompt, client):
    """Runs the turn. Cancelling it stops what runs; nothing is left then."""
    text = "\n".join(block.text for block in prompt if block.type == "text")
    image = next((block for block in prompt if block.type == "image"), None)
    turn = Turn(session, client)
    session.history.append(("user", text))
    try:
        try:
            reply = await turn.reply(text, image)
        except (OSError, RuntimeError) as error:
            reply = f"That did not work: {error}"
        await client.session_update(session.id, acp.update_agent_message_text(reply))
        session.history.append(("agent", reply))
    finally:
        session.save()


class Turn:
    def __init__(self, session, client):
        self.session = session
        self.client = client
        self.prefix = f"call-{len(session.history)}"
        self.calls = 0

    async def reply(self, text, image):
        """Does what the words ask for and returns the reply."""
        title = found(r'with the title "([^"]+)"', text)
        command = found(r"shell command `([^`]+)`", text) or found(r"shell command (.+?) and wait", text)
        path = found(r"Read the text file (\S+)", text)
        if title:
            return await self.save_plan(title, command)
        if command:
            await self.shell(command)
            return "DONE"
        if path:
            return f"{await self.read(path)} {colour_of(image.data) if image else 'no image'}"
        if re.search("which word did I ask", text, re.IGNORECASE):
            words = [found(r"Remember this word: (\S+?)\.", said) for _, said in self.session.history]
            return next(filter(None, reversed(words)), "I was given no word.")
        return found(r"Reply with exactly (\S+)", text) or "I do not know how to do that."

    async def save_plan(self, title, command):
        description = await self.shell(command)
        plan = await self.tool("create_plan", {"title": title, "description": description})
        await self.tool("get_plan", {"id": plan["id"]})
        return f"The plan is saved as {plan['id']}."

    async def shell(self, command):
        async def work():
            # In Plan mode nothing that could write is even run.
            if self.session.mode == "plan" and not re.fullmatch(r"cat [\w./-]+", command):
                raise RuntimeError("Plan mode only reads")
            return await run_command(command, self.session.cwd)

        return await self.call(work, title=command, kind="execute", raw_input={"command": command})

    async def read(self, path):
        async def work():
            return Path(path).read_text().strip()

        return await self.call(work, title=f"Read {path}", kind="read", raw_input={"path": path})

    async def tool(self, name, arguments):
        async def work():
            return await self.session.call_tool(name, arguments)

        return await self.call(work, title=name, kind="other", raw_input={"tool": name, **arguments})

    async def call(self, work, *, title, kind, raw_input):
        """One tool call from its announcement to its end; asks for permission for what is not a read."""
        id = f"{self.prefix}-{self.calls}"
        self.calls += 1
        await self.update(acp.start_tool_call(id, title, kind=kind, status="pending", raw_input=raw_input))
        try:
            if kind != "read":
                await self.ask(ToolCallUpdate(tool_call_id=id, title=title, kind=kind, raw_input=raw_input))
            await self.update(acp.update_tool_call(id, status="in_progress"))
            output = await work()
        except BaseException as error:
            # A cancel too: every tool call gets its end. The client may be gone by now.
            said = [acp.tool_content(acp.text_block(str(error) or "it was stopped"))]
            with contextlib.suppress(ConnectionError, OSError):
                await self.update(acp.update_tool_call(id, status="failed", content=said))
            raise
        await self.update(acp.update_tool_call(id, status="completed", raw_output=output))
        return output

    async def ask(self, tool_call):
        answer = await self.client.request_permission(self.session.id, tool_call, OPTIONS)
        if answer.outcome.outcome != "selected" or answer.outcome.option_id != "yes":
            raise RuntimeError("it was not allowed")

    async def update(self, update):
        await self.client.session_update(self.session.id, update)


def found(pattern, text):
    match = re.search(pattern, text)
    return match and match[1]
