"""A tool server with `create_plan` and `get_plan`, in as few lines as do it."""

import json
import sys

plans = {}


def tool(name):
    return {"name": name, "inputSchema": {"type": "object"}}


def call(name, arguments):
    if name == "create_plan":
        plan = {"id": "PLAN-7", **arguments}
        plans[plan["id"]] = plan
        return {"content": [], "structuredContent": {"id": plan["id"]}}
    return {"content": [], "structuredContent": plans[arguments["id"]]}


for line in sys.stdin:
    request = json.loads(line)
    params = request.get("params", {})
    method = request["method"]
    if "id" not in request:
        continue
    if method == "initialize":
        result = {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "plans", "version": "1"},
        }
    elif method == "tools/list":
        result = {"tools": [tool("create_plan"), tool("get_plan")]}
    elif method == "tools/call":
        result = call(params["name"], params["arguments"])
    else:
        result = {}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
