"""An agent that forks workers for each turn and ends them before it answers.

    workers.py AGENT [ARGUMENT...]
"""

import subprocess
import sys

from between import run

WORKERS = 3

# The workers of each turn, by the id of its session/prompt.
turns = {}


def before_agent(message):
    if message.get("method") == "session/prompt":
        # Each waits for the end of its input, as the workers of a pool do.
        turns[message["id"]] = [subprocess.Popen(["cat"], stdin=subprocess.PIPE) for _ in range(WORKERS)]


def after_agent(message):
    if "method" not in message:
        for worker in turns.pop(message["id"], []):
            worker.stdin.close()
            worker.wait()
    return []


sys.exit(run(sys.argv[1:], before_agent, after_agent))
