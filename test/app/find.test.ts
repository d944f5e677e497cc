import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFiles, requireFiles } from "../../src/app/files/files.ts";
import { type FindEvent, type FindOptions, findBreakingChange, undo } from "../../src/app/find.ts";
import { sessionsHere } from "../../src/app/sessions/find-session.ts";
import { openStore } from "../../src/app/sessions/store.ts";
import { type FindProgress, find } from "../../src/finder/find.ts";
import { openSession } from "../../src/open-session.ts";
import { type Workshop, workshop } from "../cli/support/workshop.ts";
import { contextAt } from "./support/context-at.ts";

/** Finds the change that made `test` fail, in one run for each state. */
async function finding(
  place: Workshop,
  test: string,
  { cwd = place.workspace, ...options }: Partial<FindOptions> & { readonly cwd?: string } = {},
) {
  const { context, notices, progress } = contextAt(place, {
    common: { workspace: place.workspace },
    surroundings: { cwd: () => cwd },
  });
  const events: FindEvent[] = [];
  const steps: FindProgress["doing"][] = [];
  const found = await findBreakingChange(context, {
    program: "/bin/sh",
    words: ["-c", test],
    runs: 1,
    timeoutMs: 60_000,
    since: undefined,
    undo: "no",
    report: (event) => events.push(event),
    onProgress: ({ doing }) => steps.push(doing),
    ...options,
  });
  return { ...found, events, steps, notices, progress };
}

/** An agent's turn whose only tool call writes the files; the files are captured before and after it. */
async function agentWrites({ home, workspace, put }: Workshop, files: Record<string, string>) {
  const session = await openSession({ home, workspace, resume: "new", files: "on" });
  const { checkpoint } = await session.prompt("change the greeting");
  await session.capture({ checkpoint, author: "outside" });
  return {
    session,
    checkpoint,
    write: async () => {
      const input = { file_path: join(workspace, Object.keys(files)[0] ?? "") };
      await session.reply({ model: "m", parts: [{ type: "tool-call", call: "c1", name: "Write", input }] });
      await session.toolStart("c1", "Write");
      for (const [path, text] of Object.entries(files)) put(path, text);
      await session.toolEnd("c1", "ok", "written");
      await session.capture({ checkpoint: await session.step(), author: "timeline" });
      await session.close();
    },
  };
}

const GREETED = "grep -q hello greeting";

describe("finding the change that broke a test", () => {
  it("names the states, the prompt, the paths and the author, and changes no file", async () => {
    const place = workshop();
    place.put("greeting", "hello\n");
    const { session, write } = await agentWrites(place, { greeting: "good bye\n", other: "1\n" });
    await write();
    const before = place.files();
    const { answer, undone, events, steps, notices, progress } = await finding(place, GREETED);
    const [green, red] = answer.finding.states;
    const change = { before: { kind: "file" }, after: { kind: "file" }, path: "greeting" };
    expect(answer).toMatchObject({
      finding: { verdict: "found", border: { green: 0, red: 1 } },
      paths: [{ path: "greeting" }],
      change: { sense: "breaks", size: "minimal", units: [{ what: "lines", change }] },
    });
    expect(answer.border).toEqual({ green, red });
    expect(red?.places).toMatchObject([{ session: session.id, checkpoint: 2 }]);
    expect(answer.prompt).toBe("change the greeting");
    expect(answer.author).toEqual({
      by: "tool",
      calls: [
        {
          session: session.id,
          call: "c1",
          name: "Write",
          input: { file_path: join(place.workspace, "greeting") },
          touches: "names",
        },
      ],
    });
    expect(Object.keys(answer).sort()).toEqual(["author", "border", "change", "finding", "paths", "prompt"]);
    expect([undone, events, notices]).toEqual([{ state: "not-asked" }, [], []]);
    expect(new Set(steps)).toEqual(new Set(["state", "judged", "change"]));
    expect(progress.at(-1)).toBe("done");
    expect(place.files()).toEqual(before);
  });

  it("runs the test in the same folder of a copy, with the environment of the call", async () => {
    const place = workshop();
    place.put("..odd/greeting", "hello\n");
    await place.worldline("checkpoint");
    place.put("..odd/greeting", "good bye\n");
    const inside = await finding(place, GREETED, { cwd: join(place.workspace, "..odd") });
    expect(inside.answer.finding.verdict).toBe("found");
    const elsewhere = join(place.root, "elsewhere");
    mkdirSync(elsewhere);
    const { context } = contextAt(place, {
      common: { workspace: place.workspace },
      surroundings: { cwd: () => elsewhere, environment: { WORLDLINE_HOME: place.home, WORD: "hello" } },
    });
    for (const cwd of [elsewhere, place.root]) {
      const outside = await findBreakingChange(
        { ...context, surroundings: { ...context.surroundings, cwd: () => cwd } },
        {
          program: "/bin/sh",
          words: ["-c", 'read line < ..odd/greeting; test "$line" = "$WORD"'],
          runs: 1,
          timeoutMs: 60_000,
          since: undefined,
          undo: "no",
          report: () => undefined,
          onProgress: () => undefined,
        },
      );
      expect(outside.answer.finding.verdict).toBe("found");
    }
  });

  it("ignores states before the checkpoint to start from, which must be of this workspace", async () => {
    const place = workshop();
    for (const [path, text] of [
      ["greeting", "hello\n"],
      ["greeting", "good bye\n"],
      ["other", "1\n"],
    ] as const) {
      place.put(path, text);
      await place.worldline("checkpoint");
    }
    const all = await finding(place, GREETED);
    expect([all.answer.finding.verdict, all.answer.finding.states.length]).toEqual(["found", 3]);
    const since = await finding(place, GREETED, { since: "2" });
    expect(since.answer.finding).toMatchObject({ verdict: "cannot-tell", why: "never-green" });
    expect(since.answer.finding.states).toEqual(all.answer.finding.states.slice(1));
    const other = workshop();
    const there = { ...other, home: place.home };
    const { session } = await place.data("checkpoint");
    await expect(finding(there, GREETED, { since: `${session}:1` })).rejects.toMatchObject({
      reason: "since-of-other-workspace",
      params: { given: `${session}:1` },
    });
  });

  it("says that a word of the command names the workspace itself instead of the copy", async () => {
    const place = workshop();
    const word = `cd ${place.workspace} && true`;
    const { events } = await finding(place, word);
    expect(events).toEqual([{ code: "names-workspace", word }]);
  });

  it("says why the command could not be started", async () => {
    const place = workshop();
    place.put("greeting", "good bye\n");
    await place.worldline("checkpoint");
    const program = "./greeting/below";
    const { answer } = await finding(place, GREETED, { program });
    expect(answer.finding).toMatchObject({ verdict: "cannot-tell", why: "present" });
    expect(answer.finding.tried).toMatchObject([
      { why: { code: "not-started", program, problem: expect.stringContaining("ENOTDIR") } },
    ]);
  });

  it("knows the files without any session, and then has nothing to compare them with", async () => {
    const place = workshop();
    place.put("greeting", "good bye\n");
    const { answer, undone, progress } = await finding(place, GREETED, { undo: "yes" });
    expect(answer).toEqual({ finding: answer.finding, paths: [] });
    expect(answer.finding).toMatchObject({ verdict: "cannot-tell", why: "no-past" });
    expect(undone).toEqual({ state: "refused", why: "cannot-tell" });
    expect(progress).toEqual(["done"]);
    expect(await place.data("sessions list --all")).toMatchObject({ sessions: [] });
  });
});

describe("undoing the change that broke a test", () => {
  it("is a journey in the session that made the change, although another one has the state before too", async () => {
    const place = workshop();
    place.put("greeting", "hello\n");
    const { session: own } = await place.data("checkpoint");
    const { session, write } = await agentWrites(place, { greeting: "good bye\n" });
    await place.worldline(`checkpoint --session ${own}`);
    await write();
    const { answer, undone } = await finding(place, GREETED, { undo: "yes" });
    expect(answer.border?.green.places.map((each) => each.session)).toEqual([own, session.id, own]);
    expect(undone).toEqual({
      state: "undone",
      session: session.id,
      journey: expect.any(String),
      files: {
        ...{ restored: 0, created: 0, removed: 0, merged: 1, kept: 0, notRestorable: 0, failed: 0 },
        differ: [],
        paths: [{ path: "greeting", outcome: "restored", detail: "merged" }],
      },
    });
    expect(place.files()).toEqual({ greeting: "hello\n" });
  });

  it("is a journey in any session that has the state before, if a change outside broke the test", async () => {
    const place = workshop();
    place.put("greeting", "hello\n");
    const { session: own } = await place.data("checkpoint");
    place.put("greeting", "good bye\n");
    const { answer, undone } = await finding(place, GREETED, { undo: "yes" });
    expect(answer).not.toHaveProperty("prompt");
    expect(answer.author).toEqual({ by: "outside", calls: [] });
    expect(undone).toMatchObject({ state: "undone", session: own });
    expect(place.files()).toEqual({ greeting: "hello\n" });
  });

  it.each([
    ["the test passes now", "hello\n", GREETED, "green-now"],
    ["it also fails without the change", "good bye\n", `${GREETED} && test ! -e second`, "other-causes"],
  ])("is refused if %s", async (_, now, test, why) => {
    const place = workshop();
    place.put("greeting", "hello\n");
    const { write } = await agentWrites(place, { greeting: "good bye\n" });
    await write();
    place.put("greeting", now);
    place.put("second", "1\n");
    await place.worldline("checkpoint");
    const before = place.files();
    expect((await finding(place, test, { undo: "yes" })).undone).toEqual({ state: "refused", why });
    expect(place.files()).toEqual(before);
  });

  it("says that it is not complete if a path was changed in the meantime", async () => {
    const place = workshop();
    place.put("greeting", "hello\n");
    await place.worldline("checkpoint");
    place.put("greeting", "good bye\n");
    const { context } = contextAt(place);
    const files = requireFiles(await openFiles(context, place.workspace));
    onTestFinished(async () => files.close());
    const signal = new AbortController().signal;
    const found = await find({
      files,
      views: await sessionsHere(context, openStore(context)),
      present: await files.capture({ look: "everything" }),
      now: Date.now(),
      command: {
        program: "/bin/sh",
        arguments: ["-c", GREETED],
        environment: { PATH: process.env["PATH"] ?? "" },
        timeoutMs: 60_000,
        signal,
      },
      within: "",
      runs: 1,
    });
    const progress: typeof context.listener.progress = (each) => {
      if (each !== "done" && each.doing === "restore") place.put("greeting", "good night\n");
    };
    const listening = { ...context, listener: { ...context.listener, progress } };
    const undone = await undo(listening, { files, finding: found, signal });
    expect(undone).toMatchObject({ state: "partly", files: { restored: 0, kept: 0, failed: 1 } });
    expect(place.files()).toEqual({ greeting: "good night\n" });
  });
});
