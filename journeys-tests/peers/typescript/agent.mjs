#!/usr/bin/env node
// A minimal right agent on the TypeScript SDK: it passes all seven journeys of acp-journeys.
//
// It shares no code with the reference agent and nothing with the checker: what it gets right, it
// gets right by the protocol's pages alone. This file is the protocol; turn.mjs is what a turn does.
//
// ACP: https://agentclientprotocol.com/protocol/v1/overview

import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk";
import { Session } from "./session.mjs";
import { runTurn } from "./turn.mjs";

const MODES = [
  { id: "default", name: "Default", description: "Asks before each command" },
  { id: "plan", name: "Plan", description: "Reads, and saves plans" },
];

/** @type {Map<string, Session>} */
const sessions = new Map();

function find(id) {
  const session = sessions.get(id);
  if (!session) throw RequestError.resourceNotFound(id);
  return session;
}

function modes(session) {
  return { currentModeId: session.mode, availableModes: MODES };
}

const app = agent({ name: "acp-peer-typescript" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: "acp-peer-typescript", version: "0.1.0" },
    agentCapabilities: { loadSession: true, promptCapabilities: { image: true } },
  }))
  .onRequest(methods.agent.session.new, async ({ params }) => {
    const session = Session.create(params.cwd);
    sessions.set(session.id, session);
    await session.startServers(params.mcpServers);
    return { sessionId: session.id, modes: modes(session) };
  })
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    const session = Session.load(params.sessionId, params.cwd);
    if (!session) throw RequestError.resourceNotFound(params.sessionId);
    sessions.set(session.id, session);
    await session.startServers(params.mcpServers);
    for (const { role, text } of session.history) {
      const sessionUpdate = role === "user" ? "user_message_chunk" : "agent_message_chunk";
      const update = { sessionUpdate, content: { type: "text", text } };
      await client.notify(methods.client.session.update, { sessionId: session.id, update });
    }
    return { modes: modes(session) };
  })
  .onRequest(methods.agent.session.setMode, ({ params }) => {
    const session = find(params.sessionId);
    if (!MODES.some((mode) => mode.id === params.modeId)) {
      throw RequestError.invalidParams({ modeId: params.modeId });
    }
    session.mode = params.modeId;
    return {};
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const session = find(params.sessionId);
    if (session.turn) throw RequestError.invalidRequest({ reason: "a turn runs in this session" });
    // Before anything is awaited, so that a cancel that is right behind finds the turn.
    session.turn = new AbortController();
    session.turn.ended = runTurn(session, params.prompt, client, session.turn.signal);
    try {
      return { stopReason: await session.turn.ended };
    } finally {
      session.turn = undefined;
    }
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId)?.turn?.abort());

/** The end, for each reason that there is: stop the turns, close the tool servers, and go. */
let ending;
function end() {
  ending ??= (async () => {
    const open = [...sessions.values()];
    open.forEach((session) => session.turn?.abort());
    await Promise.allSettled(open.map((session) => session.turn?.ended));
    await Promise.allSettled(open.map((session) => session.closeServers()));
    process.exit(0);
  })();
}

const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
connection.closed.then(end);
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, end);
