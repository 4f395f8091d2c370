// A shell command: in a process group of its own, so that a cancel ends all of it.

import { spawn } from "node:child_process";

/** How long a command that was told to end may take before it is killed. */
const GRACE_MS = 500;

/** Output that is kept; the rest is read and dropped. */
const MAX_OUTPUT = 64 * 1024;

/** Runs it to its end and returns its output. Rejects when it fails or was stopped; nothing is left then. */
export function runCommand(command, cwd, signal) {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", command], { cwd, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const pipe of [child.stdout, child.stderr]) {
      pipe.setEncoding("utf8");
      pipe.on("data", (part) => (output = (output + part).slice(0, MAX_OUTPUT)));
    }
    const kill = (name) => {
      try {
        process.kill(-child.pid, name);
      } catch {
        // The group is gone.
      }
    };
    let timer;
    const stop = () => {
      kill("SIGTERM");
      timer = setTimeout(() => kill("SIGKILL"), GRACE_MS);
    };
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      kill("SIGKILL");
      if (signal.aborted) reject(new Error("it was stopped"));
      else if (code === 0) resolve(output.trim());
      else reject(new Error(`exit status ${code}: ${output.trim()}`));
    });
  });
}
