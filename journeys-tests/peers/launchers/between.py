"""Stands between a client and an agent and hands every line on, both ways.

What a launcher does besides is in its two functions: what it does before a line goes to the agent, and
which lines it adds after one that comes from the agent.
"""

import json
import subprocess
import sys
import threading


def run(command, before_agent=lambda message: None, after_agent=lambda message: []):
    """Runs the agent to its end and returns its exit status."""
    agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def to_agent():
        for line in sys.stdin.buffer:
            before_agent(json.loads(line))
            agent.stdin.write(line)
            agent.stdin.flush()
        agent.stdin.close()

    threading.Thread(target=to_agent, daemon=True).start()
    for line in agent.stdout:
        message = json.loads(line)
        # What is added comes after the line, but whatever has to end must end before it is seen.
        added = after_agent(message)
        sys.stdout.buffer.write(line)
        for extra in added:
            sys.stdout.buffer.write(json.dumps(extra).encode() + b"\n")
        sys.stdout.buffer.flush()
    return agent.wait()
