// The seven journeys' prompts through the client role of the TypeScript SDK.
//
//   node client.mjs AGENT [ARGS]...
//
// Each journey starts an agent of its own. The SDK parses every message by the schema and fails on
// what does not fit, so a journey that passes here also says that the messages are right.
//
// ACP: https://agentclientprotocol.com/protocol/v1/overview

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";

const [command, ...args] = process.argv.slice(2);
const { RONDAR, RED_PNG } = process.env;

/** Only a failure waits for it. */
const DEADLINE = 60_000;

const text = (words) => ({ type: "text", text: words });
const marker = (kind) => `${kind}-${randomUUID().slice(0, 8)}`;

/** Runs `drive` with an agent in this folder, and waits until the agent has ended by itself. */
async function withAgent(folder, drive) {
  const agent = spawn(command, args, { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(agent, "exit");
  const seen = [];
  const app = client({ name: "acp-client-typescript" })
    .onNotification(methods.client.session.update, ({ params }) => {
      seen.push(params.update);
      for (const heard of listeners) heard(params.update);
    })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      const allow = params.options.find((option) => option.kind === "allow_once");
      return { outcome: { outcome: "selected", optionId: allow.optionId } };
    });
  const listeners = new Set();
  const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
  const work = app.connectWith(stream, async (agentSide) => {
    const { agentCapabilities } = await agentSide.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {},
      clientInfo: { name: "acp-client-typescript", version: "0.1.0" },
    });
    await drive({ agent: agentSide, capabilities: agentCapabilities, folder, seen, listeners });
  });
  await work.finally(() => agent.stdin.end());
  const [status] = await ended;
  assert.equal(status, 0, "the agent's exit status");
}

async function newSession({ agent, folder }, mcpServers = []) {
  const { sessionId, modes } = await agent.request(methods.agent.session.new, { cwd: folder, mcpServers });
  return { sessionId, modes };
}

/** One turn: what the agent said, and why it stopped. */
async function turn({ agent, seen }, sessionId, ...blocks) {
  seen.length = 0;
  const prompt = blocks.map((block) => (typeof block === "string" ? text(block) : block));
  const { stopReason } = await agent.request(methods.agent.session.prompt, { sessionId, prompt });
  return { stopReason, said: said(seen, "agent_message_chunk") };
}

const said = (updates, kind) =>
  updates.filter((update) => update.sessionUpdate === kind).map((update) => update.content.text ?? "").join("");

async function remember(scene, sessionId, word) {
  const { stopReason, said } = await turn(
    scene,
    sessionId,
    `Remember this word: ${word}. Reply with exactly ACK and nothing else.`,
  );
  assert.equal(stopReason, "end_turn");
  assert.equal(said, "ACK");
}

async function recall(scene, sessionId, word) {
  const { said } = await turn(scene, sessionId, "Which word did I ask you to remember? Reply with the word.");
  assert.ok(said.includes(word), `${said} has ${word}`);
}

const setMode = ({ agent }, sessionId, modeId) => agent.request(methods.agent.session.setMode, { sessionId, modeId });

/** The server of the plan tools, and what it was asked. */
function rondar(folder) {
  const record = join(folder, "record.jsonl");
  const server = { name: "rondar", command: RONDAR, args: ["--record", record], env: [] };
  const lines = () => (existsSync(record) ? readFileSync(record, "utf8").split("\n") : []);
  const calls = () => lines().filter((line) => line.includes("_plan"));
  return { server, calls };
}

async function plan(scene, sessionId, calls) {
  const [title, words] = [marker("TITLE"), marker("TIDE")];
  writeFileSync(join(scene.folder, "plan.txt"), `${words}\n`);
  const before = calls().length;
  const { stopReason } = await turn(
    scene,
    sessionId,
    "Please save a plan, and change no file. First run the shell command `cat plan.txt` and note what it prints. " +
      `Then call the tool create_plan with the title "${title}" and with a description that holds the whole output ` +
      "of the cat command. After that call the tool get_plan with the ID of that plan, to read it back. " +
      "At the end reply with the plan ID.",
  );
  assert.equal(stopReason, "end_turn");
  const made = calls().slice(before);
  assert.ok(made.some((line) => line.includes(title) && line.includes(words)), "create_plan was called");
  assert.ok(made.some((line) => line.includes("get_plan")), "get_plan was called");
}

const journeys = {
  async reply(scene) {
    const { sessionId } = await newSession(scene);
    const word = marker("WORD");
    const { stopReason, said } = await turn(scene, sessionId, `Reply with exactly ${word} and nothing else.`);
    assert.deepEqual({ stopReason, said }, { stopReason: "end_turn", said: word });
  },

  async memory(scene) {
    const { sessionId } = await newSession(scene);
    const word = marker("WORD");
    await remember(scene, sessionId, word);
    await recall(scene, sessionId, word);
  },

  async image(scene) {
    assert.ok(scene.capabilities.promptCapabilities.image);
    const { sessionId } = await newSession(scene);
    const word = marker("WORD");
    const file = join(scene.folder, "word.txt");
    writeFileSync(file, `${word}\n`);
    const image = { type: "image", mimeType: "image/png", data: readFileSync(RED_PNG, "base64") };
    const { said } = await turn(
      scene,
      sessionId,
      `Read the text file ${file} and look at the attached image. ` +
        "Reply with the word that is in the file and the name of the colour of the image.",
      image,
    );
    assert.ok(said.includes(word) && /red/i.test(said), said);
  },

  async cancel(scene) {
    const { sessionId } = await newSession(scene);
    scene.listeners.add((update) => {
      if (update.status === "in_progress") scene.agent.notify(methods.agent.session.cancel, { sessionId });
    });
    const { stopReason } = await turn(scene, sessionId, "Run the shell command sleep 120 and wait for it.");
    assert.equal(stopReason, "cancelled");
    assert.ok(scene.seen.some((update) => update.status === "failed"), "the call has a final status");
  },

  async plan(scene) {
    const { server, calls } = rondar(scene.folder);
    const { sessionId } = await newSession(scene, [server]);
    await setMode(scene, sessionId, "plan");
    await plan(scene, sessionId, calls);
  },

  async modes(scene) {
    const { server, calls } = rondar(scene.folder);
    const { sessionId, modes } = await newSession(scene, [server]);
    const created = join(scene.folder, "created.txt");
    const create = "Now create a file: run the shell command `echo created > created.txt`. Reply with DONE when the file is there.";
    await setMode(scene, sessionId, "plan");
    await plan(scene, sessionId, calls);
    await turn(scene, sessionId, create);
    assert.ok(!existsSync(created), "nothing is written in plan mode");
    await setMode(scene, sessionId, modes.currentModeId);
    await turn(scene, sessionId, create);
    assert.ok(existsSync(created), "the file is there in the mode of the start");
    await setMode(scene, sessionId, "plan");
    await plan(scene, sessionId, calls);
  },
};

/** The journey of two agents: what one has heard, the next one knows. */
async function load(folder) {
  const word = marker("WORD");
  let session;
  await withAgent(folder, async (scene) => {
    ({ sessionId: session } = await newSession(scene));
    await remember(scene, session, word);
  });
  await withAgent(folder, async (scene) => {
    assert.ok(scene.capabilities.loadSession);
    await scene.agent.request(methods.agent.session.load, { sessionId: session, cwd: folder, mcpServers: [] });
    assert.ok(said(scene.seen, "user_message_chunk").includes(word), "the prompt is replayed");
    await recall(scene, session, word);
  });
}

const runs = Object.entries(journeys).map(([name, drive]) => [name, (folder) => withAgent(folder, drive)]);
runs.splice(2, 0, ["load", load]);

for (const [name, run] of runs) {
  const folder = mkdtempSync(join(tmpdir(), "acp-client-"));
  const late = setTimeout(() => {
    console.log(`fail ${name}: it did not end`);
    process.exit(1);
  }, DEADLINE);
  try {
    await run(folder);
    console.log(`pass ${name}`);
  } catch (error) {
    console.log(`fail ${name}: ${error.message.replaceAll("\n", " ")}`);
  }
  clearTimeout(late);
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
