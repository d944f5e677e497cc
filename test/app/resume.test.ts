import { describe, expect, it } from "vitest";
import type { Notice } from "../../src/app/notices.ts";
import {
  checkpointOfCut,
  findResumable,
  isWithFiles,
  retryStep,
  waysToResume,
} from "../../src/app/resume.ts";
import { openStore } from "../../src/app/sessions/store.ts";
import type { FilesAt } from "../../src/machine/files/requests.ts";
import { openSession } from "../../src/open-session.ts";
import type { TurnEnd } from "../../src/ports/agent-events.ts";
import { type ErrorCode, remark } from "../../src/record/error.ts";
import { type SnapshotId, toSeq } from "../../src/record/ids.ts";
import type { Recap } from "../../src/timeline/recap.ts";
import { turnEnd } from "../cli/support/played-agent.ts";
import { type Workshop, workshop } from "../cli/support/workshop.ts";
import { contextAt } from "./support/context-at.ts";
import { said } from "./support/open-app-at.ts";

const failed = (code: ErrorCode): TurnEnd =>
  turnEnd({ outcome: "failed", answer: "", cost: 1, error: { code, message: "Not now." } });

/** Runs a retry whose turns end in these ways, one after the other. */
async function retrying(ends: readonly TurnEnd[], { retries = 3, stopIn = 0 } = {}) {
  const warnings: string[] = [];
  const listener = {
    report: (notice: Notice) => warnings.push(said(notice).message),
    progress: () => undefined,
    afterWork: () => undefined,
  };
  const stop = new AbortController();
  const pauses: number[] = [];
  const asked: string[] = [];
  const end = await retryStep(
    { listener },
    {
      resume: async (how) => {
        asked.push(how);
        return ends[asked.length - 1] ?? turnEnd();
      },
    },
    {
      retries,
      signal: stop.signal,
      clock: {
        wait: async (milliseconds) => {
          pauses.push(milliseconds);
          if (pauses.length === stopIn) stop.abort();
        },
      },
    },
  );
  return { end, warnings, pauses, asked };
}

describe("retrying a step", () => {
  it.each(["MODEL_BUSY", "MODEL_FAILED", "MODEL_UNREACHABLE"] as const)(
    "is repeated while the provider fails with %s, with growing pauses, and counts everything that it used",
    async (code) => {
      const { end, warnings, pauses, asked } = await retrying([
        failed(code),
        failed(code),
        turnEnd({ cost: 1 }),
      ]);
      expect(end).toEqual(
        turnEnd({
          steps: 6,
          usage: { input: 30, output: 15, cacheRead: 0, cacheWrite: 0 },
          cost: 3,
          milliseconds: 21,
        }),
      );
      expect([asked, pauses]).toEqual([
        ["retry", "retry", "retry"],
        [5_000, 10_000],
      ]);
      expect(warnings).toEqual([
        "Retrying the step in 5 s (1 of 3): Not now.",
        "Retrying the step in 10 s (2 of 3): Not now.",
      ]);
    },
  );

  it("ends as the last attempt did, when the settings allow no more", async () => {
    const always = Array.from({ length: 9 }, () => failed("MODEL_BUSY"));
    expect(await retrying(always, { retries: 2 })).toMatchObject({
      end: { outcome: "failed", error: { code: "MODEL_BUSY" } },
      asked: ["retry", "retry", "retry"],
    });
    expect(await retrying(always, { retries: 0 })).toMatchObject({ pauses: [], asked: ["retry"] });
  });

  it.each([failed("MODEL_KEY"), turnEnd(), turnEnd({ outcome: "interrupted" })])(
    "is left at that where time changes nothing: %o",
    async (end) => {
      expect(await retrying([end])).toEqual({ end, warnings: [], pauses: [], asked: ["retry"] });
    },
  );

  it("stops in the middle of a pause, as interrupted", async () => {
    const { end, asked } = await retrying([failed("MODEL_BUSY")], { stopIn: 1 });
    expect(end).toEqual(turnEnd({ outcome: "interrupted", answer: "", cost: 1 }));
    expect(asked).toEqual(["retry"]);
  });

  it("adds up what all attempts used, and leaves out the cost if that of one is unknown", async () => {
    const busy = (fields: Partial<TurnEnd>) => ({ ...failed("MODEL_BUSY"), backtracks: 1, ...fields });
    const { end } = await retrying([busy({}), turnEnd({ cost: 2, backtracks: 3 })]);
    expect(end).toMatchObject({ outcome: "done", cost: 3, backtracks: 4 });
    for (const ends of [
      [busy({}), turnEnd({ backtracks: 3 })],
      [{ ...busy({}), cost: undefined }, turnEnd({ cost: 2, backtracks: 3 })],
    ] as TurnEnd[][])
      expect((await retrying(ends)).end.cost).toBeUndefined();
  });

  it("is over once an attempt did not fail, whatever else its end says", async () => {
    const odd = [
      turnEnd({ error: { code: "MODEL_BUSY", message: "Not now." } }),
      turnEnd({ outcome: "failed" }),
    ];
    for (const end of odd)
      expect(await retrying([end])).toEqual({ end, warnings: [], pauses: [], asked: ["retry"] });
  });
});

/** An agent's session whose program ended during the tool call of its second step. */
async function cut(place: Workshop, { files = "on" }: { readonly files?: "on" | "off" } = {}) {
  const { home, workspace, put } = place;
  put("a.txt", "before\n");
  const session = await openSession({ home, workspace, resume: "new", files });
  await session.prompt("break it");
  for (const call of ["c1", "c2"]) {
    const step = await session.step();
    if (files === "on" && call === "c1") await session.capture({ checkpoint: step, author: "timeline" });
    const input = { command: "make" };
    await session.reply({ model: "m", parts: [{ type: "tool-call", call, name: "Bash", input }] });
    await session.toolStart(call, "Bash");
    if (call === "c1") await session.toolEnd(call, "ok", "done");
  }
  return session;
}

describe("the session to resume", () => {
  it("is the one that is named, or the agent's session that was used last", async () => {
    const place = workshop();
    const session = await cut(place);
    await session.close();
    await place.worldline("checkpoint");
    for (const wanted of [undefined, session.id]) {
      const { context } = contextAt(place, { common: { session: wanted } });
      const found = await findResumable(context, openStore(context));
      expect(Object.keys(found)).toEqual(["view", "recap"]);
      expect(found.view.id).toBe(session.id);
      expect(found.recap.open.turn).toMatchObject({ state: "cut", step: 3 });
    }
  });

  it("names the program that works on it", async () => {
    const place = workshop();
    const session = await cut(place);
    const { context } = contextAt(place);
    const { worker } = await findResumable(context, openStore(context));
    expect(worker).toMatchObject({ life: "living", owner: { pid: process.pid } });
    await session.close();
  });

  it("is none in a workspace without a session of an agent", async () => {
    const place = workshop();
    await place.worldline("checkpoint");
    const { context } = contextAt(place);
    await expect(findResumable(context, openStore(context))).rejects.toMatchObject({
      reason: "no-session-of-an-agent",
      params: { workspace: place.workspace },
    });
  });
});

describe("the ways to continue a session", () => {
  const recap = (turn: Recap["open"]["turn"], elsewhere?: Recap["elsewhere"]): Recap => ({
    title: "",
    done: { todos: [], files: [], commands: [], answer: "", reach: "whole" },
    open: { todos: [], turn },
    next: { do: "nothing" },
    ...(elsewhere === undefined ? {} : { elsewhere }),
  });
  const cutAt = (step: number) => ({ state: "cut", step }) as Recap["open"]["turn"];

  it.each<[string, Recap, ReturnType<typeof waysToResume>]>([
    ["no turn is open", recap({ state: "idle" }), ["prompt"]],
    ["a step was interrupted", recap(cutAt(3)), ["continue", "retry", "rewindFiles", "prompt"]],
    ["no step had begun", recap(cutAt(0)), ["continue", "retry", "prompt"]],
    [
      "the step ran on another machine",
      recap(cutAt(3), [{ machine: "m", checkpoints: [1, 3] }]),
      ["continue", "retry", "prompt"],
    ],
    [
      "only other steps ran on another machine",
      recap(cutAt(3), [{ machine: "m", checkpoints: [1, 2] }]),
      ["continue", "retry", "rewindFiles", "prompt"],
    ],
  ])("if %s", (_, given, ways) => {
    expect(waysToResume(given)).toEqual(ways);
  });
});

describe("rewinding the files to the interrupted step", () => {
  it("leads to the step, if its files were captured", async () => {
    const place = workshop();
    const session = await cut(place);
    await session.capture({ checkpoint: 3, author: "timeline" });
    await session.close();
    const { context, notices } = contextAt(place);
    const found = await findResumable(context, openStore(context));
    const { view, row } = await checkpointOfCut(context, found);
    expect([view, row.number]).toEqual([found.view, 3]);
    expect(notices).toEqual([]);
  });

  it("names the latest checkpoint with files before a step without", async () => {
    const place = workshop();
    const session = await cut(place);
    await session.close();
    const { context } = contextAt(place);
    const cutting = checkpointOfCut(context, await findResumable(context, openStore(context)));
    await expect(cutting).rejects.toMatchObject({
      reason: "files-before-step-not-captured",
      params: { session: session.id, step: 3, older: 2 },
    });
    const { workspace } = place;
    const home = `${place.home}-2`;
    const uncaptured = await cut({ ...place, home }, { files: "off" });
    await uncaptured.close();
    const off = contextAt({ home, workspace });
    const refused = checkpointOfCut(off.context, await findResumable(off.context, openStore(off.context)));
    await expect(refused).rejects.toMatchObject({ params: { session: uncaptured.id, step: 3 } });
    await expect(refused).rejects.not.toHaveProperty("params.older");
  });

  it.each(["idle", "without a step"])("is impossible if the turn is %s", async (state) => {
    const { home, workspace, ...place } = workshop();
    const session = await openSession({ home, workspace, resume: "new", files: "on" });
    if (state !== "idle") await session.prompt("go");
    await session.close();
    const { context } = contextAt({ ...place, home, workspace });
    const found = await findResumable(context, openStore(context));
    await expect(checkpointOfCut(context, found)).rejects.toMatchObject({ reason: "no-step-was-cut" });
  });

  it("needs files that the log records, at least in part", () => {
    const snapshot = "s" as SnapshotId;
    const states: readonly FilesAt[] = [
      { state: "complete", snapshot, line: toSeq(1) },
      { state: "partial", snapshot, line: toSeq(1) },
      { state: "pending" },
      { state: "none", ...remark("capture-never-made") },
      { state: "let-go", snapshot },
    ];
    expect(states.map(isWithFiles)).toEqual([true, true, false, false, false]);
  });
});
