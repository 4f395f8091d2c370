// One turn: what the words ask for is done step by step, and each step is told to the client.
//
// The "model" is a table of phrases. What matters is what surrounds it: every tool call gets its end,
// the reply comes before the answer, and the conversation is on disk by then.
//
// ACP: https://agentclientprotocol.com/protocol/v1/prompt-turn

import { readFile } from "node:fs/promises";
import { methods } from "@agentclientprotocol/sdk";
import { runCommand } from "./command.mjs";
import { colourOf } from "./colour.mjs";

/** Runs the turn and returns its stop reason. */
export async function runTurn(session, prompt, client, signal) {
  const turn = new Turn(session, client, signal);
  const text = prompt.filter((block) => block.type === "text").map((block) => block.text).join("\n");
  const image = prompt.find((block) => block.type === "image");
  let reply;
  try {
    reply = await turn.reply(text, image);
  } catch (error) {
    if (!signal.aborted) reply = `That did not work: ${error.message}`;
  }
  session.history.push({ role: "user", text });
  if (reply !== undefined && !signal.aborted) {
    await turn.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: reply } });
    session.history.push({ role: "agent", text: reply });
  }
  session.save();
  return signal.aborted ? "cancelled" : "end_turn";
}

class Turn {
  calls = 0;

  constructor(session, client, signal) {
    this.session = session;
    this.client = client;
    this.signal = signal;
    this.prefix = `call-${session.history.length}`;
  }

  update(update) {
    return this.client.notify(methods.client.session.update, { sessionId: this.session.id, update });
  }

  /** Does what the words ask for and returns the reply. */
  async reply(text, image) {
    const title = /with the title "([^"]+)"/.exec(text)?.[1];
    const command = /shell command `([^`]+)`/.exec(text)?.[1] ?? /shell command (.+?) and wait/.exec(text)?.[1];
    if (title) return this.savePlan(title, command);
    if (command) {
      await this.shell(command);
      return "DONE";
    }
    const path = /Read the text file (\S+)/.exec(text)?.[1];
    if (path) return `${await this.read(path)} ${image ? colourOf(image.data) : "no image"}`;
    if (/which word did I ask/i.test(text)) return this.rememberedWord() ?? "I was given no word.";
    return /Reply with exactly (\S+)/.exec(text)?.[1] ?? "I do not know how to do that.";
  }

  rememberedWord() {
    const words = this.session.history.map(({ text }) => /Remember this word: (\S+?)\./.exec(text)?.[1]);
    return words.filter(Boolean).at(-1);
  }

  async savePlan(title, command) {
    const description = await this.shell(command);
    const { id } = await this.tool("create_plan", { title, description });
    await this.tool("get_plan", { id });
    return `The plan is saved as ${id}.`;
  }

  shell(command) {
    const call = { title: command, kind: "execute", rawInput: { command } };
    return this.call(call, async () => {
      // In Plan mode nothing that could write is even asked for.
      if (this.session.mode === "plan" && !/^cat [\w./-]+$/.test(command)) throw new Error("Plan mode only reads");
      return runCommand(command, this.session.cwd, this.signal);
    });
  }

  read(path) {
    const call = { title: `Read ${path}`, kind: "read", rawInput: { path }, locations: [{ path }] };
    return this.call(call, async () => (await readFile(path, "utf8")).trim());
  }

  tool(name, args) {
    const call = { title: name, kind: "other", rawInput: { tool: name, ...args } };
    return this.call(call, () => this.session.callTool(name, args));
  }

  /** One tool call from its announcement to its end; asks for permission for what is not a read. */
  async call(call, work) {
    const toolCallId = `${this.prefix}-${this.calls++}`;
    const to = (status, more = {}) =>
      this.update({ sessionUpdate: "tool_call_update", toolCallId, status, ...more });
    await this.update({ sessionUpdate: "tool_call", toolCallId, status: "pending", ...call });
    try {
      if (call.kind !== "read") await this.ask({ toolCallId, ...call });
      this.signal.throwIfAborted();
      await to("in_progress");
      const output = await work();
      await to("completed", { rawOutput: output });
      return output;
    } catch (error) {
      await to("failed", { content: [{ type: "content", content: { type: "text", text: String(error.message) } }] });
      throw error;
    }
  }

  async ask(toolCall) {
    const options = [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ];
    const request = { sessionId: this.session.id, toolCall, options };
    const { outcome } = await this.client.request(methods.client.session.requestPermission, request);
    if (outcome.outcome !== "selected" || outcome.optionId !== "yes") throw new Error("it was not allowed");
  }
}
