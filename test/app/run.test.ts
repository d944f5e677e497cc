import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Interrupt } from "../../src/app/context.ts";
import {
  type CommandLine,
  type RunChange,
  type RunContext,
  type RunEvent,
  type RunOptions,
  rewindRun,
  runBetweenCheckpoints,
} from "../../src/app/run.ts";
import { ownSession } from "../../src/app/sessions/own-session.ts";
import { provideSessionDeps } from "../../src/app/sessions/store.ts";
import { holdSession, viewSession } from "../../src/machine/open.ts";
import { remarkOf, WorldlineError } from "../../src/record/error.ts";
import { agentWorks, type Workshop, workshop } from "../cli/support/workshop.ts";
import { contextAt, interrupts } from "./support/context-at.ts";

interface Given extends Partial<Pick<RunOptions, "strict" | "conclude">> {
  readonly place?: Workshop;
  readonly command?: string;
  readonly from?: CommandLine["from"];
  readonly session?: string;
  readonly settings?: Record<string, string>;
  readonly environment?: Record<string, string>;
  readonly onInterrupt?: ReturnType<typeof interrupts>["onInterrupt"];
}

/** Runs a command line of the shell in the workspace, or another command. */
async function running(script: string, given: Given = {}) {
  const { place = workshop(), command = "/bin/sh", from = "program", onInterrupt, session } = given;
  const environment = { WORLDLINE_HOME: place.home, PATH: process.env["PATH"] ?? "", ...given.environment };
  const { context, notices, progress } = contextAt(place, {
    common: { session, settings: { "watch.quietMs": "50", "lock.waitMs": "0", ...given.settings } },
    surroundings: { environment, ...(onInterrupt === undefined ? {} : { onInterrupt }) },
  });
  const events: RunEvent[] = [];
  const concluded: RunChange[] = [];
  const result = await runBetweenCheckpoints(context, {
    line: { command, arguments: ["-c", script], cwd: place.workspace, from },
    strict: given.strict ?? "lenient",
    report: (event) => events.push(event),
    conclude: async (run, change) => {
      concluded.push(change);
      return given.conclude?.(run, change);
    },
  });
  return { ...place, context, notices, progress, events, concluded, ...result };
}

const ended = (code: number) => ({ state: "ended", code, signal: null });

describe("running a command between two checkpoints", () => {
  it("returns how the command ended, both checkpoints, and what the command changed", async () => {
    const place = workshop();
    place.put("a.txt", "one\n");
    place.put("old.txt", "old\n");
    const { ran, captured, events, concluded, notices, files } = await running(
      'echo "$WORD" > a.txt; rm old.txt; mkdir made; exit 7',
      { place, environment: { WORD: "two" } },
    );
    expect(ran).toEqual(ended(7));
    const { session } = captured ?? expect.unreachable();
    const state = (kind: string) => expect.objectContaining({ kind });
    const changes = [
      { path: "a.txt", before: state("file"), after: state("file") },
      { path: "made", before: undefined, after: state("folder") },
      { path: "old.txt", before: state("file"), after: undefined },
    ];
    expect(captured).toEqual({
      session,
      before: { number: 1, snapshot: expect.any(String), seen: 4 },
      after: { number: expect.any(Number), snapshot: expect.any(String), seen: expect.any(Number) },
      changes,
      outcome: undefined,
    });
    expect(events).toEqual([{ code: "protected", checkpoint: 1 }]);
    expect(concluded).toEqual([{ before: 1, changes }]);
    expect(notices).toEqual([{ code: "session-created", session }]);
    expect(files()).toEqual({ "a.txt": "two\n", made: "/" });
  });

  it("rewinds what the command changed on request, and nothing else", async () => {
    const place = workshop();
    place.put("a.txt", "one\n");
    const shown: unknown[] = [];
    const conclude = async (run: RunContext, { before }: RunChange) =>
      rewindRun(run, before, {
        counted: undefined,
        decide: async ({ steps, conflicts, consent }) => void shown.push({ steps, conflicts, consent }),
      });
    const { captured, files, data } = await running("echo two > a.txt; echo b > b.txt", { place, conclude });
    expect(captured?.outcome).toEqual({
      ...{ restored: 1, created: 0, removed: 1, merged: 0, kept: 0, notRestorable: 0, failed: 0 },
      differ: [],
      paths: [
        { path: "a.txt", outcome: "restored" },
        { path: "b.txt", outcome: "restored", detail: "removed" },
      ],
    });
    expect(shown).toMatchObject([
      {
        steps: [
          { path: "a.txt", what: "changed", lines: { added: 1, removed: 1 } },
          { path: "b.txt", what: "deleted" },
        ],
        conflicts: "expected",
        consent: "given",
      },
    ]);
    expect(files()).toEqual({ "a.txt": "one\n" });
    expect((await data("checkpoints")).session).toBe(captured?.session);
  });

  it("rewinds nothing if the user declines", async () => {
    const decide = () => Promise.reject(new Error("declined"));
    const conclude = async (run: RunContext, { before }: RunChange) =>
      rewindRun(run, before, { counted: undefined, decide });
    const place = workshop();
    await expect(running("echo b > b.txt", { place, conclude })).rejects.toThrow("declined");
    expect(place.files()).toEqual({ "b.txt": "b\n" });
  });

  it("makes further checkpoints while the command runs, which are of the timeline and reported nowhere", async () => {
    const place = workshop();
    const { context } = contextAt(place);
    const deps = await provideSessionDeps(context);
    const { id } = await ownSession(context, deps, "test");
    const checkpoints = async () => (await viewSession(deps.store, id)).checkpoints();
    const run = running("echo 1 > a.txt; while [ ! -e go ]; do sleep 0.02; done; echo 2 > a.txt", { place });
    await vi.waitFor(async () => expect((await checkpoints()).length).toBeGreaterThan(1), {
      timeout: 20_000,
    });
    place.put("go", "");
    const { captured, events, notices } = await run;
    expect(captured?.after.number).toBeGreaterThan(2);
    expect([events, notices]).toEqual([[{ code: "protected", checkpoint: 1 }], []]);
    const view = await viewSession(deps.store, id);
    const stored = await view.storedEntries(view.outline.linesOf("snapshot"));
    expect(stored.slice(0, 2)).toMatchObject([
      { checkpoint: 1, author: "outside" },
      { checkpoint: 2, author: "timeline" },
    ]);
  });

  it("works in the session that is named, which must be of this workspace", async () => {
    const place = workshop();
    const session = await agentWorks(place, () => undefined, "new");
    const { captured } = await running("true", { place, session });
    expect(captured).toMatchObject({ session, changes: [] });
    const there = { ...workshop(), home: place.home };
    await expect(running("true", { place: there, session })).rejects.toMatchObject({
      reason: "session-of-other-workspace",
      params: { workspace: place.workspace },
    });
  });
});

describe("a command that could not be started", () => {
  it.each([
    ["nobody-has-this-command", 127, "missing"],
    ["./a.txt", 126, "forbidden"],
    ["./a.txt/below", 126, { system: expect.stringContaining("ENOTDIR") }],
  ])("ends with the exit code of shells and the reason: %s", async (command, code, why) => {
    const place = workshop();
    place.put("a.txt", "one\n");
    const { ran, captured, events } = await running("", { place, command });
    expect(ran).toEqual({ state: "not-started", code, error: expect.anything() });
    expect(ran).toMatchObject({ error: { reason: "command-not-started", params: { command, why } } });
    expect(captured).toBeUndefined();
    expect(events).toEqual([{ code: "protected", checkpoint: 1 }]);
  });
});

describe("a command whose files cannot be captured", () => {
  const off = { enableFileCheckpointing: "false" };

  it("runs, and the reason is reported", async () => {
    const { ran, captured, events, concluded, files } = await running("echo b > b.txt", { settings: off });
    expect([ran, captured, concluded]).toEqual([ended(0), undefined, []]);
    expect(events).toEqual([
      { code: "unprotected", ...remarkOf(new WorldlineError("checkpointing-off", {})) },
    ]);
    expect(files()).toEqual({ "b.txt": "b\n" });
  });

  it("does not run if every change must be undoable", async () => {
    const place = workshop();
    await expect(running("echo b > b.txt", { place, settings: off, strict: "strict" })).rejects.toMatchObject(
      {
        reason: "command-unprotected",
        params: { why: { reason: "checkpointing-off" } },
      },
    );
    expect(place.files()).toEqual({});
  });

  it("runs while another program holds the session, and the holder is named", async () => {
    const place = workshop();
    const { context } = contextAt(place);
    const deps = await provideSessionDeps(context);
    const { id } = await ownSession(context, deps, "test");
    const held = await holdSession(deps, id, { name: "the holder" });
    onTestFinished(async () => held.close());
    const { ran, captured, events, concluded } = await running("true", { place });
    const known = { reason: "session-locked", why: expect.stringContaining("the holder") };
    expect(ran).toEqual(ended(0));
    expect(captured).toMatchObject({
      session: id,
      before: { ...known, seen: 0 },
      after: { ...known, seen: 0 },
    });
    expect(captured).toMatchObject({ changes: undefined, outcome: undefined });
    expect(captured?.before).not.toHaveProperty("number");
    expect(events).toMatchObject([
      { code: "unprotected", ...known },
      { code: "not-captured-after", ...known },
    ]);
    expect(concluded).toEqual([]);
    await expect(running("true", { place, strict: "strict" })).rejects.toMatchObject({
      reason: "command-unprotected",
      params: { why: { reason: known.reason } },
    });
  });

  it("is not compared if its files cannot be captured afterwards", async () => {
    const place = workshop();
    place.put("a.txt", "one\n");
    const { ran, captured, events, concluded } = await running(`rm -r ${place.workspace}`, { place });
    const why = remarkOf(new WorldlineError("workspace-not-listed", { workspace: place.workspace }));
    expect(ran).toEqual(ended(0));
    expect(captured).toMatchObject({ after: { ...why, number: expect.any(Number) }, changes: undefined });
    expect(captured?.after).not.toHaveProperty("snapshot");
    expect(events).toEqual([
      { code: "protected", checkpoint: 1 },
      { code: "not-captured-after", ...why },
    ]);
    expect(concluded).toEqual([]);
  });

  it("is not run if the user cancels the capture", async () => {
    const place = workshop();
    const { context } = contextAt(place, { surroundings: { cancelled: AbortSignal.abort() } });
    const run = runBetweenCheckpoints(context, {
      line: {
        command: "/bin/sh",
        arguments: ["-c", "echo b > b.txt"],
        cwd: place.workspace,
        from: "program",
      },
      strict: "lenient",
      report: () => expect.unreachable(),
      conclude: () => expect.unreachable(),
    });
    await expect(run).rejects.toMatchObject({ code: "CANCELLED" });
    expect(place.files()).toEqual({});
  });
});

describe("a signal to the program that runs a command", () => {
  const signalled = async (
    from: CommandLine["from"],
    signals: readonly Interrupt[],
    when: "early" | "running",
  ) => {
    const place = workshop();
    const { onInterrupt, interrupt, listening } = interrupts();
    const send = () => {
      for (const signal of signals) interrupt(signal);
    };
    const early: typeof onInterrupt = (listener) => {
      const release = onInterrupt(listener);
      send();
      return release;
    };
    const run = running("touch started; exec sleep 60", {
      place,
      from,
      settings: { enableFileCheckpointing: "false" },
      onInterrupt: when === "early" ? early : onInterrupt,
    });
    if (when === "running") {
      await vi.waitFor(() => expect(place.files()).toHaveProperty("started"), { timeout: 20_000 });
      send();
    }
    return { ran: (await run).ran, listening: listening() };
  };

  it.each([
    ["early", "program", ["SIGINT"], { code: 130, signal: "SIGINT" }],
    ["running", "program", ["SIGINT"], { code: 130, signal: "SIGINT" }],
    ["early", "terminal", ["SIGINT", "SIGTERM"], { code: 143, signal: "SIGTERM" }],
    ["running", "terminal", ["SIGINT", "SIGHUP"], { code: 129, signal: "SIGHUP" }],
  ] as const)(
    "reaches the command once (%s, started from a %s), unless the terminal has sent it: %j",
    async (when, from, signals, end) => {
      expect(await signalled(from, signals, when)).toEqual({ ran: { state: "ended", ...end }, listening: 0 });
    },
  );
});
