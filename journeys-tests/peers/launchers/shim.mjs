#!/usr/bin/env node
// A launcher as npm packages have them: it looks for the program of this machine and starts it with its
// own standard streams. The agent is its child, and the end of the input reaches the agent alone.
//
//   shim.mjs AGENT [ARGUMENT...]

import { spawn } from "node:child_process";

const [program, ...args] = process.argv.slice(2);
const agent = spawn(program, args, { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => agent.kill(signal));
agent.on("error", (error) => {
  console.error(`${program}: ${error.message}`);
  process.exit(127);
});
agent.on("exit", (code, signal) => process.exit(signal ? 1 : code));
