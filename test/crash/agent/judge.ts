import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { recapOf, turnStateOf } from "../../../src/machine/queries/recap.ts";
import type { SessionView } from "../../../src/machine/view.ts";
import type { LogStore } from "../../../src/ports/log-store.ts";
import type { WorkspaceFiles } from "../../../src/ports/workspace-files.ts";
import type { Author, Entry } from "../../../src/record/entry.ts";
import { type SessionId, type SnapshotId, toSeq } from "../../../src/record/ids.ts";
import type { ReceivedRequest } from "../../../src/testing/model-server/script.ts";
import type { CrashPlace } from "./crash-agent.ts";
import { type Told, toldBy } from "./told.ts";

export async function linesOfLog(
  { outline }: SessionView,
  store: LogStore,
  id: SessionId,
): Promise<readonly Entry[]> {
  return store.read(id, toSeq(1), outline.nextSeq);
}

/** Counts the entries reported as durable before the kill that are now missing or different. */
export function lostOf(said: readonly string[], id: SessionId, entries: readonly Entry[]): number {
  const there = new Set(entries.map((entry) => `entry ${id} ${entry.seq} ${entry.id}`));
  return said.filter((line) => line.startsWith(`entry ${id} `) && !there.has(line)).length;
}

/** Checks that the session's view of its state matches what its log lines say. */
export async function expectTold(view: SessionView, entries: readonly Entry[]): Promise<Told> {
  const told = toldBy(entries);
  const turn = await turnStateOf(view);
  expect((await recapOf(view)).open.turn).toEqual(turn);
  if (turn.state === "idle") {
    expect(told).toEqual({ state: "idle" });
    return told;
  }
  const ids = (calls: readonly { readonly call: string }[]): string[] => calls.map(({ call }) => call);
  const { step, openCalls, finishedCalls, unstartedCalls } = turn;
  expect({
    state: "cut",
    step,
    while: turn.while,
    open: ids(openCalls),
    finished: ids(finishedCalls),
    unstarted: ids(unstartedCalls),
  }).toEqual(told);
  // Opening records a crash if calls were open; otherwise the cause is unknown.
  expect(turn.interruptedBy).toBe(openCalls.length > 0 ? "crash" : "unknown");
  return told;
}

/** The commands that ran, once per run. */
export function runsIn(file: string): readonly string[] {
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
}

/** Checks that every command that ran has a recorded start, including those of sub-agents. */
export function expectStarted(ran: readonly string[], entries: readonly Entry[]): void {
  const started = new Set(entries.flatMap((entry) => (entry.kind === "tool-start" ? [entry.call] : [])));
  const calls = entries.flatMap((entry) => (entry.kind === "reply" ? entry.parts : []));
  const commands = calls.flatMap((part) =>
    part.type === "tool-call" && started.has(part.call) ? [JSON.stringify(part.input)] : [],
  );
  const unknown = ran.filter((word) => !commands.some((command) => command.includes(`echo ${word} `)));
  expect(unknown).toEqual([]);
}

const BELONGS: ReadonlySet<string> = new Set(["a.txt", "b.txt", "done.txt", "new.txt"]);

/** The temporary file of a write that was killed midway; captures skip such names. */
const HALF_WRITTEN = /^\.worldline-restore-/u;

/**
 * Once a backtrack is in the log, the files it takes back are gone. The only leftover allowed is the
 * temporary file of an interrupted write.
 */
export function expectFiles({ workspace }: CrashPlace, entries: readonly Entry[]): void {
  const ended = new Set(entries.flatMap((entry) => (entry.kind === "tool-end" ? [entry.call] : [])));
  const writes = entries.flatMap((entry) =>
    entry.kind === "tool-start" && entry.name === "Write" ? [entry.call] : [],
  );
  const isCut = writes.some((call) => !ended.has(call));
  const others = readdirSync(workspace).filter((name) => !BELONGS.has(name));
  expect(others.filter((name) => !isCut || !HALF_WRITTEN.test(name))).toEqual([]);
  const wentBack = entries.some(({ kind }) => kind === "backtrack");
  if (wentBack) {
    expect(entries.some(({ kind }) => kind === "restored")).toBe(true);
    expect(existsSync(join(workspace, "new.txt"))).toBe(false);
    return;
  }
  const hasWritten = writes.some((call) => ended.has(call));
  if (hasWritten) expect(readFileSync(join(workspace, "new.txt"), "utf8")).toBe("new\n");
}

const UNKNOWN = "it is not known whether it took effect";
const NEVER_STARTED = "Not started: the program was stopped first.";

/** Counts the unfinished calls by what the model is told about them: effect unknown, or never started. */
export function cutResults(request: ReceivedRequest | undefined): {
  readonly unknown: number;
  readonly not: number;
} {
  const results = request?.messages.flatMap((message) => message.results) ?? [];
  const having = (words: string): number => results.filter(({ text }) => text.includes(words)).length;
  return { unknown: having(UNKNOWN), not: having(NEVER_STARTED) };
}

/**
 * Only the agent's tools and journeys touched the files, so no change may be attributed to the outside, not
 * even tentatively.
 */
export async function expectOwnFiles(files: WorkspaceFiles, entries: readonly Entry[]): Promise<void> {
  expect(entries.flatMap((entry) => ("signs" in entry ? (entry.signs ?? []) : []))).toEqual([]);
  let before: SnapshotId | undefined;
  for (const { snapshot, author } of entries.flatMap(momentsOf)) {
    const changes = before === undefined ? [] : await files.compare(before, snapshot);
    if (author === "outside") expect(changes).toEqual([]);
    before = snapshot;
  }
}

interface Moment {
  readonly snapshot: SnapshotId;
  readonly author: Author;
}

function momentsOf(entry: Entry): readonly Moment[] {
  switch (entry.kind) {
    case "snapshot":
    case "interval":
      return entry.snapshot === undefined ? [] : [{ snapshot: entry.snapshot, author: entry.author }];
    case "backtrack":
    case "rewind":
      return entry.left === undefined
        ? []
        : [{ snapshot: entry.left, author: entry.leftAuthor ?? "outside" }];
    case "restored":
      return entry.snapshot === undefined ? [] : [{ snapshot: entry.snapshot, author: "timeline" }];
    default:
      return [];
  }
}
