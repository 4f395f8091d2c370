// The seven journeys' prompts through acpx, the headless client, by its command line alone.
//
//   node client.mjs AGENT [ARGS]...
//
// acpx keeps an agent running between its commands, in a process of its own that ends when nobody
// needs it for a while. Each journey has its own folder, and with it its own session and process.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

// No word of the command has a blank or a quote in it.
const agent = process.argv.slice(2).join(" ");
const { RONDAR, RED_PNG } = process.env;
const program = join(import.meta.dirname, "node_modules/.bin/acpx");

/** Only a failure waits for it. */
const DEADLINE = 60_000;

const marker = (kind) => `${kind}-${randomUUID().slice(0, 8)}`;

/** acpx in one folder, with options for all of its commands. */
class Acpx {
  constructor(folder, ...options) {
    this.folder = folder;
    this.options = ["--agent", agent, "--cwd", folder, "--approve-all", "--format", "json", ...options];
    // Its own records, too, go into the folder.
    const home = join(folder, "home");
    mkdirSync(home);
    this.start = { env: { ...process.env, HOME: home }, encoding: "utf8", timeout: DEADLINE };
  }

  run(...words) {
    const ended = spawnSync(program, [...this.options, ...words], this.start);
    assert.equal(ended.status, 0, `acpx ${words[0]}: ${ended.stdout} ${ended.stderr}`);
    return ended.stdout;
  }

  /** Opens a session. */
  open() {
    this.run("sessions", "new");
  }

  /** One turn. Each line that acpx writes is a message, as it went over the wire. */
  turn(words) {
    return read(this.run("prompt", words));
  }

  /** Ends the agent, and acpx's process for it. */
  close() {
    spawnSync(program, [...this.options, "sessions", "close"], this.start);
  }
}

/** What was said in a turn, why it stopped, and the methods that were called. */
function read(output) {
  const messages = output.split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  const updates = messages.map((message) => message.params?.update).filter(Boolean);
  const chunks = updates.filter((update) => update.sessionUpdate === "agent_message_chunk");
  return {
    said: chunks.map((chunk) => chunk.content.text).join(""),
    stopReason: messages.findLast((message) => message.result?.stopReason)?.result.stopReason,
    methods: messages.map((message) => message.method).filter(Boolean),
  };
}

async function until(wanted, what) {
  const end = Date.now() + DEADLINE;
  while (!wanted()) {
    assert.ok(Date.now() < end, `waited for ${what}`);
    await sleep(100);
  }
}

function remember(acpx, word) {
  const { said, stopReason } = acpx.turn(`Remember this word: ${word}. Reply with exactly ACK and nothing else.`);
  assert.deepEqual({ said, stopReason }, { said: "ACK", stopReason: "end_turn" });
}

function recall(acpx, word) {
  const answered = acpx.turn("Which word did I ask you to remember? Reply with the word.");
  assert.ok(answered.said.includes(word), `${answered.said} has ${word}`);
  return answered;
}

/** acpx with the server of the plan tools, and what that was asked. */
function withRondar(folder) {
  const record = join(folder, "record.jsonl");
  const server = { name: "rondar", type: "stdio", command: RONDAR, args: ["--record", record], env: [] };
  const config = join(folder, "mcp.json");
  writeFileSync(config, JSON.stringify({ mcpServers: [server] }));
  const lines = () => (existsSync(record) ? readFileSync(record, "utf8").split("\n") : []);
  const calls = () => lines().filter((line) => line.includes("_plan"));
  return { acpx: new Acpx(folder, "--mcp-config", config), calls };
}

function plan(acpx, calls) {
  const [title, words] = [marker("TITLE"), marker("TIDE")];
  writeFileSync(join(acpx.folder, "plan.txt"), `${words}\n`);
  const before = calls().length;
  const { stopReason } = acpx.turn(
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
  reply(folder) {
    const acpx = new Acpx(folder);
    const word = marker("WORD");
    const { said, stopReason } = read(acpx.run("exec", `Reply with exactly ${word} and nothing else.`));
    assert.deepEqual({ said, stopReason }, { said: word, stopReason: "end_turn" });
    return acpx;
  },

  memory(folder) {
    const acpx = new Acpx(folder);
    acpx.open();
    const word = marker("WORD");
    remember(acpx, word);
    recall(acpx, word);
    return acpx;
  },

  /** The second turn is asked of another agent process, which takes the session up again. */
  async load(folder) {
    const acpx = new Acpx(folder, "--ttl", "1");
    acpx.open();
    const word = marker("WORD");
    remember(acpx, word);
    await until(() => JSON.parse(acpx.run("status")).status === "idle", "the end of the first agent");
    // Its keeper may still be on its way out, and says so.
    let answered;
    await until(() => {
      try {
        answered = recall(acpx, word);
      } catch (error) {
        if (!error.message.includes("QUEUE_OWNER_CLOSED")) throw error;
      }
      return answered;
    }, "the end of acpx's own process");
    const { methods } = answered;
    assert.ok(methods.includes("session/resume") || methods.includes("session/load"), `${methods}`);
    return acpx;
  },

  image(folder) {
    const acpx = new Acpx(folder);
    const word = marker("WORD");
    const [file, prompt] = [join(folder, "word.txt"), join(folder, "prompt.json")];
    writeFileSync(file, `${word}\n`);
    const text =
      `Read the text file ${file} and look at the attached image. ` +
      "Reply with the word that is in the file and the name of the colour of the image.";
    const data = readFileSync(RED_PNG, "base64");
    writeFileSync(prompt, JSON.stringify([{ type: "text", text }, { type: "image", mimeType: "image/png", data }]));
    const { said } = read(acpx.run("exec", "--file", prompt));
    assert.ok(said.includes(word) && /red/i.test(said), said);
    return acpx;
  },

  async cancel(folder) {
    const acpx = new Acpx(folder);
    acpx.open();
    const turn = spawn(program, [...acpx.options, "prompt", "Run the shell command sleep 120 and wait for it."], acpx.start);
    let output = "";
    turn.stdout.on("data", (data) => (output += data));
    const ended = new Promise((resolve) => turn.once("close", resolve));
    await until(() => output.includes('"in_progress"'), "the start of the command");
    acpx.run("cancel");
    await ended;
    assert.equal(read(output).stopReason, "cancelled");
    return acpx;
  },

  plan(folder) {
    const { acpx, calls } = withRondar(folder);
    acpx.open();
    acpx.run("set-mode", "plan");
    plan(acpx, calls);
    return acpx;
  },

  modes(folder) {
    const { acpx, calls } = withRondar(folder);
    const created = join(folder, "created.txt");
    const create = "Now create a file: run the shell command `echo created > created.txt`. Reply with DONE when the file is there.";
    acpx.open();
    acpx.run("set-mode", "plan");
    plan(acpx, calls);
    acpx.turn(create);
    assert.ok(!existsSync(created), "nothing is written in plan mode");
    acpx.run("set-mode", "default");
    acpx.turn(create);
    assert.ok(existsSync(created), "the file is there in the default mode");
    acpx.run("set-mode", "plan");
    plan(acpx, calls);
    return acpx;
  },
};

for (const [name, run] of Object.entries(journeys)) {
  const folder = mkdtempSync(join(tmpdir(), "acp-client-"));
  try {
    const acpx = await run(folder);
    acpx.close();
    console.log(`pass ${name}`);
  } catch (error) {
    console.log(`fail ${name}: ${error.message.replaceAll("\n", " ")}`);
  }
  rmSync(folder, { recursive: true, force: true });
}
