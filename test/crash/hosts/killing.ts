import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { TurnEnd } from "../../../src/ports/agent-events.ts";
import type { Entry } from "../../../src/record/entry.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { type ModelServer, openModelServer } from "../../../src/testing/model-server/model-server.ts";
import type { Responder } from "../../../src/testing/model-server/script.ts";
import { type ClaudePlace, claudeEnvironment } from "../../support/claude/claude-place.ts";
import { claudeSdkFolder } from "../../support/claude/describe-with-claude.ts";
import { expectOwnFiles, expectStarted, expectTold, linesOfLog, lostOf, runsIn } from "../agent/judge.ts";
import { orphansEnded } from "../agent/orphans.ts";
import { expectSubSessions } from "../agent/sub-sessions.ts";
import type { Told as ToldTurn } from "../agent/told.ts";
import { type Child, startChild } from "../children/child.ts";
import type { ClaudeChildOptions } from "./children/claude-child.ts";
import {
  type ClaudeCrashPlace,
  type CrashClaude,
  makeClaudeSession,
  openCrashClaude,
} from "./crash-claude.ts";
import { expectSaidOnce, toldOnBranch, treeOf } from "./judge.ts";
import { StoryScript, WENT_ON } from "./story.ts";

export interface ClaudeKillOptions {
  readonly program: string;
  /** Where the SDK keeps the sessions of all runs; each run has its own folder in it. */
  readonly place: ClaudePlace;
  readonly name: string;
  /** The point of the story at which the process kills itself; 0 means never. */
  readonly point: number;
  /** How to continue after a turn that was cut. */
  readonly goOn: "prompt" | "continue" | "retry";
}

export interface ClaudeKillOutcome {
  readonly died: "yes" | "no";
  readonly told: ToldTurn;
  readonly acknowledged: number;
  readonly lost: number;
  /** The kind of the last entry before each point, if the story ran to its end. */
  readonly points: readonly string[];
  readonly subSessions: number;
  /** Commands that ran again although the model had not asked for them again. */
  readonly ranAgain: number;
  /** "prompt" if the files were rewound to the first prompt; "later" if that prompt had not been captured. */
  readonly rewound: "prompt" | "later";
}

export interface ClaudeRun {
  readonly place: ClaudeCrashPlace;
  readonly session: SessionId;
  readonly server: ModelServer;
  readonly script: StoryScript;
  readonly runs: string;
  readonly atFirst: Readonly<Record<string, string>>;
}

/** A session in its own workspace, and the model server that plays its story or another one. */
export async function makeClaudeRun(
  shared: ClaudePlace,
  name: string,
  another?: Responder,
): Promise<ClaudeRun> {
  const folder = join(shared.folder, name);
  const workspace = join(folder, "workspace");
  mkdirSync(join(workspace, "sub"), { recursive: true });
  writeFileSync(join(workspace, "a.txt"), "a\r\nb");
  writeFileSync(join(workspace, "sub", "bytes"), Uint8Array.of(0, 255, 10, 13));
  chmodSync(join(workspace, "a.txt"), 0o755);
  const script = new StoryScript(workspace);
  const server = await openModelServer(another ?? script.responder);
  const runs = join(folder, "runs.txt");
  const own = { CLAUDE_CONFIG_DIR: shared.config, RUNS: runs };
  const environment = { ...claudeEnvironment(server, folder), ...own };
  const place = { sdk: claudeSdkFolder(), home: join(folder, "worldline"), workspace, environment };
  const session = await makeClaudeSession(place);
  return { place, session, server, script, runs, atFirst: treeOf(workspace) };
}

/** Plays the story in a process that is killed, reopens the session, checks its state, and continues. */
export async function killStory(request: ClaudeKillOptions): Promise<ClaudeKillOutcome> {
  const run = await makeClaudeRun(request.place, request.name);
  const { place, session, server, runs } = run;
  const told: ClaudeChildOptions = { place, session, dieAt: request.point };
  const child = startChild(request.program, [JSON.stringify(told)]);
  const code = await child.ended;
  const opened = await openCrashClaude(place, session);
  try {
    // Opening the session must be the only reason why the SDK processes left by the dead agent end.
    await orphansEnded(runs);
    const outcome = await judge(run, opened, { request, child });
    return { ...outcome, died: code === null ? "yes" : "no" };
  } finally {
    await opened.close();
    await server.close();
  }
}

interface Judged {
  readonly request: ClaudeKillOptions;
  readonly child: Child;
}

async function judge(
  run: ClaudeRun,
  opened: CrashClaude,
  { request, child }: Judged,
): Promise<Omit<ClaudeKillOutcome, "died">> {
  const { session: id, runs } = run;
  const { session, store } = opened;
  const ranBefore = runsIn(runs);
  const entries = await linesOfLog(session, store, id);
  const told = await expectTold(session, entries);
  const subSessions = await expectSubSessions(store, id, child.lines);
  expectStarted(ranBefore, [...entries, ...subSessions.entries]);
  const rewound = await goOn(run, opened, told.state === "idle" ? "prompt" : request.goOn);
  return {
    told,
    acknowledged: child.lines.filter((line) => line.startsWith("entry ")).length,
    lost: lostOf(child.lines, id, entries) + subSessions.lost,
    points:
      child.lines
        .find((line) => line.startsWith("points "))
        ?.split(/[ ,]/u)
        .slice(1) ?? [],
    subSessions: subSessions.count,
    ranAgain: runsIn(runs).length - ranBefore.length - 1,
    rewound,
  };
}

/**
 * Continues the turn or starts the next one, checks that only requested commands run and that the model is
 * told everything once, and then rewinds the files to their initial state.
 */
export async function goOn(
  { server, script, runs, place, session: id, atFirst }: ClaudeRun,
  { agent, session, store, files }: CrashClaude,
  how: ClaudeKillOptions["goOn"],
): Promise<ClaudeKillOutcome["rewound"]> {
  const ranBefore = runsIn(runs);
  const from = server.requests.length;
  const branch = await toldOnBranch(session);
  script.goOn();
  const end: TurnEnd = how === "prompt" ? await agent.prompt("Go on.") : await agent.resume(how);
  expect(end).toMatchObject({ outcome: "done", answer: WENT_ON });
  expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
  expect(runsIn(runs)).toEqual([...ranBefore, "resumed"]);
  expect(new Set(runsIn(runs)).size).toBe(runsIn(runs).length);
  if (how !== "retry") expectSaidOnce(server.requests.slice(from), branch);
  const entries = await linesOfLog(session, store, id);
  await expectOwnFiles(files, entries);
  expect(await store.verify(id)).toEqual([]);
  const to = firstCaptured(entries);
  await session.rewind({ to, scope: "files" });
  expect(treeOf(place.workspace)).toEqual(atFirst);
  return to === 1 ? "prompt" : "later";
}

/**
 * The first checkpoint whose files were captured, before which nothing can have changed. Usually it is the
 * first prompt.
 */
function firstCaptured(entries: readonly Entry[]): number {
  const first = entries.find((entry) => entry.kind === "snapshot" && entry.state === "complete");
  if (first?.kind !== "snapshot" || first.checkpoint === undefined) throw new Error("Nothing was captured.");
  return first.checkpoint;
}
