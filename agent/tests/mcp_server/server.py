"""An MCP server for tests, good or bad as its first argument says.

It speaks JSON-RPC by hand, because most of what it does no library would do.
"""

import json
import os
import signal
import sys
import time

behaviour = sys.argv[1]
log_path = os.environ.get("LOG")
counter = 0
extra_tools = []


def log(text):
    if log_path:
        with open(log_path, "a") as file:
            file.write(text + "\n")


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(request, result):
    send({"id": request["id"], "result": result})


def tool(name, **more):
    return {"name": name, "inputSchema": {"type": "object"}, **more}


def tools(params):
    if behaviour == "many":
        return {"tools": [tool(f"tool{number}") for number in range(10_000)]}
    if behaviour == "pages":
        page = int((params or {}).get("cursor", "0"))
        return {"tools": [tool(f"tool{page}")], "nextCursor": str(page + 1)}
    if behaviour == "large":
        return {"tools": [tool(f"tool{n}", description="x" * 300_000) for n in range(9)]}
    if behaviour == "odd":
        return {"tools": [tool("a b/ç"), tool("shell"), tool("x" * 100), tool("plain")]}
    names = ["next", "echo", "about", "fail", "refuse", "crash", "hang", "grow", "huge", "last"]
    plan = ["create_plan", "update_plan"]
    hints = [
        tool("look", annotations={"readOnlyHint": True}),
        tool("change", annotations={"readOnlyHint": False}),
    ]
    return {"tools": [tool(name) for name in names + plan + extra_tools] + hints}


def call(request):
    global counter
    name = request["params"]["name"]
    arguments = request["params"].get("arguments", {})
    if name == "next":
        counter += 1
        return text(f"{counter} from {os.getpid()}")
    if name == "about":
        about = {"argv": sys.argv[1:], "cwd": os.getcwd(), "env": dict(os.environ)}
        return {"content": [], "structuredContent": about}
    if name == "fail":
        return {**text("the disk is full"), "isError": True}
    if name == "crash":
        print("out of luck", file=sys.stderr, flush=True)
        os._exit(42)
    if name == "grow":
        extra_tools.append("grown")
        send({"method": "notifications/tools/list_changed"})
        return text("grown")
    if name == "huge":
        return text("x" * (17 * 1024 * 1024))
    if name == "last":
        answer(request, text("my last words"))
        os._exit(0)
    return text(f"{name} {json.dumps(arguments)}")


def text(content):
    return {"content": [{"type": "text", "text": content}]}


def handle(message):
    method = message.get("method")
    if method == "initialize":
        if behaviour == "wrong":
            answer(message, {"tools": []})
            return
        answer(
            message,
            {
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {} if behaviour == "toolless" else {"tools": {"listChanged": True}},
                "serverInfo": {"name": "test", "version": "1"},
            },
        )
    elif method == "tools/list" and behaviour != "toolless":
        answer(message, tools(message.get("params")))
    elif method == "tools/call":
        name = message["params"]["name"]
        if name == "refuse":
            send({"id": message["id"], "error": {"code": -32602, "message": "no such thing"}})
        elif name == "hang":
            log("hangs")
        else:
            answer(message, call(message))
    elif method == "notifications/cancelled":
        log("cancelled")
    elif "id" in message:
        send({"id": message["id"], "error": {"code": -32601, "message": "what?"}})


def main():
    log(f"pid {os.getpid()}")
    if behaviour == "exits":
        print("the config is missing", file=sys.stderr)
        sys.exit(3)
    if behaviour == "silent":
        time.sleep(1000)
    if behaviour == "flood":
        while True:
            sys.stdout.write("this is no JSON\n" * 1000)
    if behaviour == "chatty":
        print("starting ...", flush=True)
        sys.stderr.write("x" * 1_000_000)
    if behaviour == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            os.setsid()
            log(f"pid {os.getpid()}")
            time.sleep(1000)
    for line in sys.stdin:
        handle(json.loads(line))
    log("eof")
    if behaviour == "stubborn":
        time.sleep(1000)


main()
