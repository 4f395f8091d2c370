"""A shell command: in a process group of its own, so that a cancel ends all of it."""

import asyncio
import contextlib
import os
import signal

# How long a command that was told to end may take before it is killed, in seconds.
GRACE = 0.5

# Output that is kept; the rest is read and dropped.
MAX_OUTPUT = 64 * 1024


async def run_command(command, cwd):
    """Runs it to its end and returns its output. Raises when it fails; nothing is left then."""
    process = await asyncio.create_subprocess_exec(
        "/bin/sh", "-c", command,
        cwd=cwd,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    output = b""
    try:
        while part := await process.stdout.read(4096):
            output = (output + part)[:MAX_OUTPUT]
        status = await process.wait()
    finally:
        await end_group(process)
    text = output.decode(errors="replace").strip()
    if status != 0:
        raise RuntimeError(f"exit status {status}: {text}")
    return text


async def end_group(process):
    """Ends everything that the command started, first with a request and then without."""
    kill(process, signal.SIGTERM)
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(process.wait(), GRACE)
    kill(process, signal.SIGKILL)
    await process.wait()


def kill(process, number):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
