import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { TurnEnd } from "../../../src/ports/agent-events.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { type ModelServer, openModelServer } from "../../../src/testing/model-server/model-server.ts";
import type { Wire } from "../../../src/testing/model-server/script.ts";
import { type Child, startChild } from "../children/child.ts";
import type { AgentChildOptions } from "./children/agent-child.ts";
import { type CrashAgent, type CrashPlace, makeCrashSession, openCrashAgent } from "./crash-agent.ts";
import {
  cutResults,
  expectFiles,
  expectOwnFiles,
  expectStarted,
  expectTold,
  linesOfLog,
  lostOf,
  runsIn,
} from "./judge.ts";
import { orphansEnded } from "./orphans.ts";
import { CrashScript, type TurnName, WENT_ON } from "./script.ts";
import { expectSubSessions } from "./sub-sessions.ts";
import type { Told } from "./told.ts";

export interface KillOptions {
  readonly script: string;
  /** A folder that only this run uses. */
  readonly folder: string;
  /** The address of a store that only this run uses. */
  readonly store: string;
  readonly turn: TurnName;
  readonly wire: Wire;
  readonly resume: "continue" | "retry";
  /**
   * Either a point of the turn at which the process kills itself, or how many lines it may report before it
   * is killed from outside.
   */
  readonly at: { readonly point: number } | { readonly lines: number; readonly milliseconds: number };
}

export interface KillOutcome {
  readonly died: "yes" | "no";
  readonly told: Told;
  readonly acknowledged: number;
  readonly lost: number;
  /** The points that the turn passed; only complete if it ran to its end. */
  readonly points: TurnPoints;
  readonly subSessions: number;
  /** Commands that ran again although the model had not asked for them again. */
  readonly ranAgain: number;
}

/**
 * The points of a turn at which a process may die: each change on the disk or in the database, and each
 * event.
 */
export interface TurnPoints {
  readonly count: number;
  /** The points at which at least one call had started and not yet ended. */
  readonly inCalls: readonly number[];
}

interface Run {
  readonly request: KillOptions;
  readonly place: CrashPlace;
  readonly session: SessionId;
  readonly server: ModelServer;
  readonly script: CrashScript;
  readonly runs: string;
}

/** Runs a turn in a process that is killed, reopens the session, checks its state, and continues the turn. */
export async function killTurn(request: KillOptions): Promise<KillOutcome> {
  const script = new CrashScript(request.turn);
  const server = await openModelServer(script.responder);
  try {
    const { folder, wire, store } = request;
    const workspace = join(folder, "workspace");
    mkdirSync(workspace, { recursive: true });
    for (const name of ["a.txt", "b.txt"]) writeFileSync(join(workspace, name), `${name}\n`);
    const runs = join(folder, "runs.txt");
    const environment = { ...server.environment(wire), RUNS: runs };
    const model = server.modelFor(wire);
    const place = { store, home: join(folder, "home"), workspace, model, environment };
    const session = await makeCrashSession(place);
    return await playAndJudge({ request, place, session, server, script, runs });
  } finally {
    await server.close();
  }
}

async function playAndJudge(run: Run): Promise<KillOutcome> {
  const { request, place, session, runs, server } = run;
  const child = await playUntilDeath(run);
  await orphansEnded(runs);
  const ranBefore = runsIn(runs);
  const askedBefore = server.requests.length;
  const opened = await openCrashAgent(place, session);
  try {
    const { store } = opened;
    const entries = await linesOfLog(opened.session, store, session);
    const told = await expectTold(opened.session, entries);
    if (request.turn === "work") expectFiles(place, entries);
    const subSessions = await expectSubSessions(store, session, child.lines);
    expectStarted(ranBefore, [...entries, ...subSessions.entries]);
    expect(runsIn(runs)).toEqual(ranBefore);
    expect(server.requests.length).toBe(askedBefore);
    await goOn(run, opened, told);
    await expectOwnFiles(opened.files, await linesOfLog(opened.session, store, session));
    expect(await store.verify(session)).toEqual([]);
    return {
      died: (await child.ended) === null ? "yes" : "no",
      told,
      acknowledged: child.lines.filter((line) => line.startsWith("entry ")).length,
      lost: lostOf(child.lines, session, entries) + subSessions.lost,
      points: pointsOf(child.lines),
      subSessions: subSessions.count,
      ranAgain: runsIn(runs).length - ranBefore.length - 1,
    };
  } finally {
    await opened.close();
  }
}

async function playUntilDeath({ request, place, session }: Run): Promise<Child> {
  const { at, script, turn } = request;
  const dieAt = "point" in at ? at.point : 0;
  const told: AgentChildOptions = { place, session, prompt: turn, dieAt };
  const child = startChild(script, [JSON.stringify(told)]);
  if ("lines" in at) {
    await child.said("begun", 1);
    await child.said("entry", at.lines);
    await sleep(at.milliseconds);
    await child.kill();
  }
  await child.ended;
  return child;
}

/**
 * Continues the turn, or starts the next one if it had ended; only commands that the model asks for may run.
 */
async function goOn(
  { request, server, script, runs }: Run,
  { agent }: CrashAgent,
  told: Told,
): Promise<void> {
  const from = server.requests.length;
  const ranBefore = runsIn(runs);
  script.goOn();
  const end: TurnEnd =
    told.state === "idle" ? await agent.prompt("go on") : await agent.resume(request.resume);
  expect(end).toMatchObject({ outcome: "done", answer: WENT_ON });
  expect(server.requests.flatMap(({ refused }) => refused ?? [])).toEqual([]);
  expect(runsIn(runs)).toEqual([...ranBefore, "resumed"]);
  for (const word of ["first", "second"]) {
    expect(runsIn(runs).filter((line) => line === word).length).toBeLessThanOrEqual(1);
  }
  if (request.resume === "retry" || told.state === "idle") return;
  // A Backtrack call changes nothing while it is only requested, so its start is not recorded.
  const { unknown, not } = cutResults(server.requests[from]);
  expect([unknown + not, unknown >= told.open.length]).toEqual([
    told.open.length + told.unstarted.length,
    true,
  ]);
  if (told.step < BACKTRACK_STEP) expect([unknown, not]).toEqual([told.open.length, told.unstarted.length]);
}

/** The step of the turn "work" that requests the backtrack. */
const BACKTRACK_STEP = 5;

function pointsOf(lines: readonly string[]): TurnPoints {
  const [, count = "0", inCalls = ""] = lines.find((line) => line.startsWith("points "))?.split(" ") ?? [];
  return { count: Number(count), inCalls: inCalls === "" ? [] : inCalls.split(",").map(Number) };
}
