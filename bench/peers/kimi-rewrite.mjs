import { appendFileSync, closeSync, openSync, readdirSync, readSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";

/**
 * kimi-cli's scheme for a session file, ported to Node. kimi-cli itself is written in Python; this driver
 * implements only its scheme, and is written to be fast: it reads 1 MiB at a time and batches writes, where the
 * original awaits each line.
 *
 * The live file is always the context. Going back renames the file, reads it line by line and writes a new file up
 * to the checkpoint; a compaction renames the file and starts a new one. Nothing is synced. Checkpoint ids are
 * counted from the content of the file, so they repeat after either operation.
 */
export const driver = {
  name: "kimi-cli scheme",
  logFile: liveFile,
  create: (dir) => readyKimi(dir, { history: [], nextId: 0 }),
  resume: (dir) => readyKimi(dir, restore(liveFile(dir))),
  load: (dir) => restore(liveFile(dir)).history.length,
  textOf: ({ content }) => content,
};

const BATCH = 1 << 20;

function liveFile(dir) {
  return join(dir, "context.jsonl");
}

function readyKimi(dir, state) {
  const file = liveFile(dir);
  const write = (record) => appendFileSync(file, `${JSON.stringify(record)}\n`);
  const append = ({ role, text }) => {
    const record = { role, content: text };
    state.history.push(record);
    write(record);
  };
  const checkpoint = () => {
    const id = state.nextId;
    state.nextId += 1;
    write({ role: "_checkpoint", id });
    return id;
  };
  return {
    append,
    checkpoint,
    goBack: (place, note) => {
      state = rewriteUpTo(file, rotate(dir), place);
      checkpoint();
      if (note !== undefined) append({ role: "user", text: `<system>${note}</system>` });
    },
    compact: (summary, keep) => {
      const kept = state.history.slice(-keep);
      rotate(dir);
      state = { history: [], nextId: 0 };
      checkpoint();
      append({ role: "user", text: `<system>${summary}</system>` });
      for (const { role, content } of kept) append({ role, text: content });
    },
    context: () => state.history,
    close: () => {},
  };
}

/** Renames the live file to the next free number. After that, there is no live file until a new one is started. */
function rotate(dir) {
  const numbers = readdirSync(dir).map((each) => Number(/^context_(\d+)\.jsonl$/.exec(each)?.[1] ?? 0));
  const aside = join(dir, `context_${Math.max(0, ...numbers) + 1}.jsonl`);
  renameSync(liveFile(dir), aside);
  return aside;
}

function restore(file) {
  const state = { history: [], nextId: 0 };
  for (const { record } of records(file)) apply(state, record);
  return state;
}

function rewriteUpTo(file, aside, checkpoint) {
  const state = { history: [], nextId: 0 };
  const out = openSync(file, "w");
  try {
    let waiting = [];
    let size = 0;
    const flush = () => {
      writeSync(out, waiting.join(""));
      waiting = [];
      size = 0;
    };
    for (const { record, line } of records(aside)) {
      if (record.role === "_checkpoint" && record.id === checkpoint) break;
      apply(state, record);
      waiting.push(line, "\n");
      size += line.length;
      if (size >= BATCH) flush();
    }
    flush();
  } finally {
    closeSync(out);
  }
  return state;
}

function apply(state, record) {
  if (record.role === "_checkpoint") state.nextId = record.id + 1;
  else if (typeof record.role === "string" && !record.role.startsWith("_")) state.history.push(record);
}

/** The file's records; a line that cannot be parsed is skipped, as in the original. */
function* records(file) {
  for (const line of lines(file)) {
    const record = line.trim() === "" ? undefined : parsed(line);
    if (typeof record === "object" && record !== null) yield { record, line };
  }
}

function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function* lines(file) {
  const input = openSync(file, "r");
  try {
    const buffer = Buffer.allocUnsafe(BATCH);
    let rest = Buffer.alloc(0);
    for (let read = readSync(input, buffer); read > 0; read = readSync(input, buffer)) {
      const chunk = Buffer.concat([rest, buffer.subarray(0, read)]);
      let start = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        yield chunk.toString("utf8", start, end);
        start = end + 1;
      }
      rest = chunk.subarray(start);
    }
    if (rest.length > 0) yield rest.toString("utf8");
  } finally {
    closeSync(input);
  }
}
