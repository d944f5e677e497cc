import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { turnStateOf } from "../../../src/machine/queries/recap.ts";
import type { Entry } from "../../../src/record/entry.ts";
import { type ModelServer, openModelServer } from "../../../src/testing/model-server/model-server.ts";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { SHELL_TOOL } from "../../../src/timeline/calls.ts";
import { startChild } from "../children/child.ts";
import type { AgentChildOptions } from "./children/agent-child.ts";
import { bundleAgentChild } from "./children/bundle.ts";
import { makeCrashSession, openCrashAgent } from "./crash-agent.ts";
import { expectOwnFiles, linesOfLog, lostOf, runsIn } from "./judge.ts";
import { orphansEnded } from "./orphans.ts";

const COMMAND = 'echo first >> "$RUNS"; echo first >> done.txt; echo said';
const ANSWER = "I am here.";
const KILLS = 10;

interface Killing {
  readonly script: string;
  readonly folder: string;
  readonly server: ModelServer;
  readonly dieAt: number;
}

interface Killed {
  readonly points: number;
  /** The command's entries in the log when the session was reopened. */
  readonly lines: readonly string[];
}

function ofCommand(entries: readonly Entry[]): readonly string[] {
  return entries.map(({ kind }) => kind).filter((kind) => kind === "tool-start" || kind === "tool-end");
}

/** Runs a command in a process that dies, reopens the session, checks its state, and continues. */
async function killCommand({ script, folder, server, dieAt }: Killing): Promise<Killed> {
  const workspace = join(folder, "workspace");
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(workspace, "a.txt"), "a\n");
  const runs = join(folder, "runs.txt");
  const environment = { ...server.environment("anthropic"), RUNS: runs };
  const place = { home: join(folder, "home"), workspace, model: server.modelFor("anthropic"), environment };
  const id = await makeCrashSession(place);
  const request: AgentChildOptions = { place, session: id, prompt: "", command: COMMAND, dieAt };
  const child = startChild(script, [JSON.stringify(request)]);
  await child.ended;
  await orphansEnded(runs);
  const { agent, session, store, files, close } = await openCrashAgent(place, id);
  try {
    const entries = await linesOfLog(session, store, id);
    const lines = ofCommand(entries);
    expect(lostOf(child.lines, id, entries)).toBe(0);
    if (runsIn(runs).length > 0) expect(lines).toContain("tool-start");
    const isCut = lines.includes("tool-start") && !lines.includes("tool-end");
    const unfinished = (await session.unfinished())?.calls.map(({ name }) => name);
    expect(unfinished).toEqual(isCut ? [SHELL_TOOL] : undefined);
    expect(await turnStateOf(session)).toEqual({ state: "idle" });
    expect(await agent.prompt("are you there?")).toMatchObject({ outcome: "done", answer: ANSWER });
    expect(await session.unfinished()).toBeUndefined();
    expect(runsIn(runs).length).toBeLessThanOrEqual(1);
    await expectOwnFiles(files, await linesOfLog(session, store, id));
    expect(await store.verify(id)).toEqual([]);
    const points = child.lines.find((line) => line.startsWith("points "))?.split(" ")[1];
    return { points: Number(points ?? 0), lines };
  } finally {
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("an agent that dies in a user command", () => {
  it("says so if the command had begun, blames nothing else for its files, and has no turn to continue", async () => {
    const server = await openModelServer(() => ({ text: ANSWER }));
    try {
      await inTempFolder(async (folder) => {
        const script = await bundleAgentChild(folder);
        const kill = async (dieAt: number) =>
          killCommand({ script, folder: join(folder, `run-${dieAt}`), server, dieAt });
        const { points, lines } = await kill(0);
        expect(lines).toEqual(["tool-start", "tool-end"]);
        const seen = new Set<string>();
        for (let at = 1; at <= KILLS; at += 1) {
          seen.add((await kill(Math.ceil((at * points) / KILLS))).lines.join());
        }
        expect([...seen].sort()).toEqual(["", "tool-start", "tool-start,tool-end"]);
      });
    } finally {
      await server.close();
    }
  });
});
