// A session: its conversation on disk, and its tool servers.
//
// ACP: https://agentclientprotocol.com/protocol/v1/session-setup

import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const FOLDER = join(process.env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "acp-peer-typescript");

export class Session {
  /** @type {{role: "user" | "agent", text: string}[]} */
  history = [];
  mode = "default";
  /** The controller of the turn that runs. @type {(AbortController & {ended?: Promise<string>}) | undefined} */
  turn;
  /** @type {Client[]} */
  servers = [];

  constructor(id, cwd) {
    this.id = id;
    this.cwd = cwd;
  }

  static create(cwd) {
    return new Session(randomUUID(), cwd);
  }

  /** The session of an earlier process, or undefined. */
  static load(id, cwd) {
    // An ID names a file: one that we did not make must not name another.
    if (!/^[0-9a-f-]{36}$/.test(id)) return undefined;
    try {
      const session = new Session(id, cwd);
      session.history = JSON.parse(readFileSync(join(FOLDER, `${id}.json`), "utf8"));
      return session;
    } catch (error) {
      if (error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Written whole and then renamed, so that a load never finds half a conversation. */
  save() {
    mkdirSync(FOLDER, { recursive: true, mode: 0o700 });
    const file = join(FOLDER, `${this.id}.json`);
    writeFileSync(`${file}.new`, JSON.stringify(this.history), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }

  async startServers(servers) {
    for (const { command, args, env } of servers.filter((server) => "command" in server)) {
      const client = new Client({ name: "acp-peer-typescript", version: "0.1.0" });
      const extra = Object.fromEntries(env.map(({ name, value }) => [name, value]));
      const transport = new StdioClientTransport({
        command,
        args,
        env: { ...getDefaultEnvironment(), ...extra },
        cwd: this.cwd,
      });
      this.servers.push(client);
      await client.connect(transport);
    }
  }

  async closeServers() {
    await Promise.allSettled(this.servers.map((server) => server.close()));
  }

  /** Calls a tool of the server that has it, and returns its structured answer. */
  async callTool(name, args) {
    for (const server of this.servers) {
      const { tools } = await server.listTools();
      if (!tools.some((tool) => tool.name === name)) continue;
      const result = await server.callTool({ name, arguments: args });
      if (result.isError) throw new Error(`${name}: ${result.content.map((block) => block.text).join(" ")}`);
      return result.structuredContent;
    }
    throw new Error(`no tool server has ${name}`);
  }
}
