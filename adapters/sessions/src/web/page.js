// Watches the sessions of the daemon: asks, shows, asks again. It never changes anything, and puts
// what it was told into the page as text only.
"use strict";

const EVERY_MS = 1000;
const PAGE_OF = 200;

// The token comes behind the "#" of the address that `acp-sessions web` prints. It is kept for this
// tab, and taken out of the address so that it ends up in no bookmark.
const given = new URLSearchParams(location.hash.slice(1));
if (given.has("token")) {
  sessionStorage.setItem("token", given.get("token"));
  given.delete("token");
  history.replaceState(null, "", `#${given}`);
}
const token = sessionStorage.getItem("token");

// Another address of this page, given to the same tab.
addEventListener("hashchange", () => location.reload());

let chosen = given.get("session");
let shown = { session: null, last: 0, items: new Map() };

const element = (id) => document.getElementById(id);

// An element with a text; the text is never markup.
function make(tag, text, className) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

async function ask(path) {
  const answer = await fetch(`/api/v1${path}`, {
    headers: { authorization: `Bearer ${token}` },
    cache: "no-store",
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error ?? `the daemon answered ${answer.status}`);
  return body;
}

function say(text) {
  if (element("notice").textContent !== text) element("notice").textContent = text;
}

function stateOf(session) {
  if (session.lifecycle !== "live") return session.lifecycle;
  if (session.chat_phase === "running") return "running";
  return session.is_idle ? "ready" : "busy";
}

function choose(id) {
  chosen = id;
  history.replaceState(null, "", `#session=${id}`);
  refresh();
}

// The list is made anew only when it changed: whoever stands in it with the keyboard stays there.
let listed = "";

function showList(sessions, names) {
  const facts = sessions.map((session) => [session.id, session.title, stateOf(session)]);
  const now = JSON.stringify([chosen, facts, [...names]]);
  if (now === listed) return;
  listed = now;
  const rows = sessions.map((session) => {
    const row = make("li", "");
    const button = make("button", "");
    button.type = "button";
    button.append(
      make("span", stateOf(session), `state ${stateOf(session)}`),
      make("strong", session.title || session.id.slice(0, 12)),
      make("small", `${names.get(session.workspace_id) ?? ""} · ${session.target_id}`),
    );
    button.addEventListener("click", () => choose(session.id));
    if (session.id === chosen) button.setAttribute("aria-current", "true");
    row.append(button);
    return row;
  });
  element("sessions").replaceChildren(...rows);
}

function showFacts(session) {
  element("title").textContent = session.title || session.id;
  const facts = [
    ["session", session.id],
    ["state", stateOf(session)],
    ["profile", session.profile_id],
    ["target", session.target_id],
    ["bundle", session.bundle_id],
    ["project", session.project_directory],
    ["commit", session.at],
    ["branch", session.branch],
    ["last turn", session.last_turn_outcome],
    ["error", session.error],
    ["asks", (session.pending_elicitations ?? []).map((asked) => asked.message).join(" · ")],
    ["changed", session.updated_at],
  ].filter(([, value]) => value);
  element("facts").replaceChildren(
    ...facts.flatMap(([name, value]) => [make("dt", name), make("dd", value)]),
  );
}

// The last item may still grow, so it is always asked for again.
async function showTranscript(id) {
  if (shown.session !== id) {
    shown = { session: id, last: 0, items: new Map() };
    element("transcript").replaceChildren();
  }
  let more = true;
  while (more && chosen === id) {
    const after = Math.max(0, shown.last - 1);
    const page = await ask(`/sessions/${id}/transcript?after_seq=${after}&limit=${PAGE_OF}`);
    if (chosen !== id) return;
    for (const item of page.items) {
      let row = shown.items.get(item.seq);
      if (!row) {
        row = make("li", "", `item ${item.role}`);
        row.append(make("span", item.role, "role"), make("pre", ""));
        shown.items.set(item.seq, row);
        element("transcript").append(row);
      }
      const text = row.lastElementChild;
      if (text.textContent !== item.text) text.textContent = item.text;
      shown.last = Math.max(shown.last, item.seq);
    }
    more = page.has_more;
  }
}

async function refresh() {
  try {
    const [{ sessions }, { workspaces }] = await Promise.all([ask("/sessions"), ask("/workspaces")]);
    showList(sessions, new Map(workspaces.map((one) => [one.id, one.name])));
    say(sessions.length === 0 ? "There is no session yet." : `${sessions.length} in all.`);
    const exists = sessions.some((session) => session.id === chosen);
    element("session").hidden = !exists;
    if (exists) {
      showFacts(await ask(`/sessions/${chosen}`));
      await showTranscript(chosen);
    }
  } catch (error) {
    say(`${error.message}. If this stays, open what "acp-sessions web" prints.`);
  }
}

async function watch() {
  if (!document.hidden) await refresh();
  setTimeout(watch, EVERY_MS);
}

if (token) watch();
else say('This address has no token: open what "acp-sessions web" prints.');
