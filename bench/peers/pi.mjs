import { readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Drives pi's own SessionManager, unchanged. Only the file with the session manager is imported, and not pi's main
 * entry, which would load the whole agent. This favors pi in time and memory.
 */
export function piDriver({ SessionManager, loadEntriesFromFile }, version) {
  const logFile = (dir) => {
    const file = readdirSync(dir).find((each) => each.endsWith(".jsonl"));
    if (file === undefined) throw new Error("pi has written no session file.");
    return join(dir, file);
  };
  return {
    name: `pi ${version}`,
    logFile,
    create: (dir) => readyPi(SessionManager.create(dir, dir)),
    resume: (dir) => readyPi(SessionManager.open(logFile(dir))),
    load: (dir) => loadEntriesFromFile(logFile(dir)).length,
    textOf,
  };
}

/** Notes and summaries are messages without content in pi's context. */
function textOf({ content, summary = "" }) {
  if (content === undefined) return summary;
  return typeof content === "string" ? content : content.map((each) => each.text).join("");
}

function readyPi(manager) {
  /** The entry ids of the messages that were appended, because a compaction names the first message that it keeps. */
  const ids = [];
  return {
    append: (message) => {
      ids.push(manager.appendMessage(piMessage(message)));
    },
    checkpoint: () => manager.getLeafId(),
    // branch() alone moves the head only in memory; with a note pi also writes an entry.
    goBack: (place, note) => {
      if (note === undefined) manager.branch(place);
      else manager.branchWithSummary(place, note);
    },
    compact: (summary, keep) => {
      manager.appendCompaction(summary, ids.at(-keep), 100_000);
    },
    context: () => manager.buildSessionContext().messages,
    close: () => {},
  };
}

const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const usage = { input: 1200, output: 400, cacheRead: 9000, cacheWrite: 300, totalTokens: 10900, cost };
const model = { api: "anthropic-messages", provider: "anthropic", model: "some-model", stopReason: "stop" };

/** A message as pi's agent passes it to its session manager. Assistant messages have a model and usage. */
function piMessage({ role, text }) {
  const timestamp = Date.now();
  if (role === "user") return { role, content: [{ type: "text", text }], timestamp };
  return { role, content: [{ type: "text", text }], ...model, usage, timestamp };
}
