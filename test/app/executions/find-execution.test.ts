import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type AppContext, RunStores } from "../../../src/app/context.ts";
import {
  type FoundExecution,
  findExecution,
  findPlace,
  findRestorePoint,
  requireExecution,
  visibleId,
} from "../../../src/app/executions/find-execution.ts";
import { settingOf } from "../../../src/app/settings/table.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { forkSession } from "../../../src/machine/journeys/fork.ts";
import { viewSession } from "../../../src/machine/open.ts";
import { type OpenExecutionOptions, openExecution } from "../../../src/open-execution.ts";
import { openSession } from "../../../src/open-session.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { shownAddress } from "../../../src/stores/store-address.ts";
import { tempFolder } from "../../../src/testing/temp-folder.ts";
import { withExecutions } from "../../cli/commands/executions/with-executions.ts";
import { tellConversation } from "../../cli/support/conversation.ts";
import { frameOf } from "../../cli/support/frame-of.ts";

function newFolder(): string {
  const { path, remove } = tempFolder();
  onTestFinished(remove);
  return path;
}

/** A store with executions, and a context in the folder of most of them. */
function begun() {
  const store = openMemoryStore();
  const workspace = newFolder();
  const address = { kind: "sqlite", path: "/in-memory.db" } as const;
  const stores = new RunStores();
  stores.open(`${shownAddress(address)} ${settingOf("lock.leaseMs").default}`, () => store);
  const context = {
    workspace: async () => workspace,
    common: { store: address },
    stores,
  } as unknown as AppContext;
  return {
    store,
    workspace,
    context,
    /** Runs an execution with one successful step for each name. */
    async run(
      id: string,
      steps: readonly string[] = [],
      options: OpenExecutionOptions = {},
    ): Promise<SessionId> {
      const execution = await openExecution(id, { store, workspace, ...options });
      for (const name of steps) await execution.step(name, () => name);
      await execution.close();
      return execution.session;
    },
    find: (text: string, naming: "whole" | "beginning") =>
      findExecution(context, store, { text, naming }).then(shown),
  };
}

const shown = (found: FoundExecution | undefined) =>
  found && {
    id: found.id,
    session: found.view.id,
    steps: found.steps.map(({ id }) => id),
    begins: found.begins,
  };

/** The reason and the parameters of the error, so that all of them are compared. */
async function refusal(work: Promise<unknown>): Promise<unknown> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  const { reason, params } = error as { readonly reason?: string; readonly params?: object };
  return { reason, ...params };
}

describe("the execution that the user named", () => {
  it("is the one of this folder with this id, which is found without a search", async () => {
    const { store, context, run } = begun();
    const session = await run("exec-1", ["one"]);
    const unsearched = { ...store, list: async () => Promise.reject(new Error("All were searched.")) };
    expect(shown(await findExecution(context, unsearched, { text: "exec-1", naming: "whole" }))).toEqual({
      id: "exec-1",
      session,
      steps: ["ckpt-exec-1-0@1"],
      begins: undefined,
    });
  });

  it("may be named by the beginning of its id only where that is enough", async () => {
    const { find, run } = begun();
    await run("exec-1");
    await run("other");
    expect([await find("exec", "beginning"), await find("exec-1", "beginning")]).toMatchObject([
      { id: "exec-1" },
      { id: "exec-1" },
    ]);
    expect([
      await find("exec", "whole"),
      await find("", "beginning"),
      await find("xec", "beginning"),
    ]).toEqual([undefined, undefined, undefined]);
    await run("exec-10");
    expect(await find("exec-1", "beginning")).toMatchObject({ id: "exec-1" });
  });

  it("is one of this workspace if there is one, and never the session of an agent", async () => {
    const { store, workspace, find, run } = begun();
    const far = await run("exec-2", [], { workspace: newFolder() });
    await run("exec-1");
    const agent = await openSession({ store, workspace, files: "off" });
    await agent.close();
    expect(await find("exec", "beginning")).toMatchObject({ id: "exec-1" });
    expect([await find(agent.id, "whole"), await find(far, "whole")]).toMatchObject([
      undefined,
      { id: "exec-2" },
    ]);
  });

  it("is in this workspace rather than in another, and may be named by its session", async () => {
    const { find, run } = begun();
    const there = await run("exec-1", ["there"], { workspace: newFolder() });
    expect(await find("exec", "beginning")).toMatchObject({ id: "exec-1", session: there });
    const here = await run("exec-1", ["here"]);
    const others = await run("exec-2", [], { workspace: newFolder() });
    expect(await find("exec", "beginning")).toMatchObject({ session: here });
    expect(await find(there, "whole")).toMatchObject({ id: "exec-1", session: there });
    expect(await find("exec-2", "whole")).toMatchObject({ id: "exec-2", session: others });
  });

  it("is not one that was deleted while the executions were listed", async () => {
    const { store, context, run } = begun();
    const session = await run("exec-1", [], { workspace: newFolder() });
    const list = async () => ["k3f9x2m7q1" as SessionId, session];
    const named = { text: "exec", naming: "beginning" } as const;
    expect(shown(await findExecution(context, { ...store, list }, named))).toMatchObject({ session });
  });

  it("may be a fork, which is named by its session, because it has no id of its own", async () => {
    const { store, workspace, find, run } = begun();
    const session = await run("exec-1", ["one"]);
    const far = await run("exec-2", ["one"], { workspace: newFolder() });
    const view = await viewSession(store, session);
    const fork = await forkSession({ store, clock: systemClock }, view, { workspace });
    expect([await find(fork, "whole"), await find(far, "whole")]).toMatchObject([
      { id: fork, session: fork },
      { id: "exec-2", session: far },
    ]);
  });

  it("must be unique, and the error names the sessions or ids to choose from, with their workspaces", async () => {
    const { find, run, workspace } = begun();
    const [one, two] = [newFolder(), newFolder()];
    const sessions = [await run("far-1", [], { workspace: one }), await run("far-1", [], { workspace: two })];
    await run("far-2", [], { workspace: two });
    await run("near-1");
    await run("near-2");
    const scoped = [
      await run("shared", [], { workspace, scope: "a" }),
      await run("shared", [], { workspace, scope: "b" }),
    ];
    const reason = "execution-named-ambiguous";
    const named = (names: readonly string[]) => expect.arrayContaining(names.map((name) => ({ name })));
    expect(await refusal(find("far-1", "whole"))).toEqual({
      reason,
      given: "far-1",
      names: expect.arrayContaining([
        { name: sessions[0], workspace: one },
        { name: sessions[1], workspace: two },
      ]),
      places: "several",
    });
    expect(await refusal(find("far", "beginning"))).toMatchObject({
      names: expect.arrayContaining([
        { name: "far-1", workspace: one },
        { name: "far-1", workspace: two },
        { name: "far-2", workspace: two },
      ]),
      places: "several",
    });
    expect(await refusal(find("near", "beginning"))).toEqual({
      reason,
      given: "near",
      names: named(["near-1", "near-2"]),
      places: "one",
    });
    expect(await refusal(find("shared", "whole"))).toEqual({
      reason,
      given: "shared",
      names: named(scoped),
      places: "one",
    });
  });

  it("has its id shortened in an error, so that it fits into a sentence", async () => {
    const { find, run } = begun();
    const long = (end: string) => `${"é".repeat(57)}   ${end}`;
    await run(long("1"));
    await run(long("2"));
    await run(`${"é".repeat(57)}123`);
    expect(await refusal(find("é".repeat(57), "beginning"))).toMatchObject({
      given: "é".repeat(57),
      names: expect.arrayContaining([
        { name: `${"é".repeat(57)}…` },
        { name: `${"é".repeat(57)}…` },
        { name: `${"é".repeat(57)}123` },
      ]),
    });
  });
});

describe("the turn of an agent that the user named", () => {
  it("is found by its whole name, or by a beginning that is unique", async () => {
    const { store, find, run, workspace } = begun();
    const session = await tellConversation({ store, workspace });
    const steps = [`ckpt-turn-${session}-4-0@1`];
    const turn = { id: `turn-${session}-4`, session, steps, begins: 4 };
    expect(await find(`turn-${session}-4`, "whole")).toEqual(turn);
    expect(await find(`turn-${session}-4`, "beginning")).toEqual(turn);
    expect(await find(`turn-${session}-`, "whole")).toBeUndefined();
    expect(await find(`turn-${session}-5`, "whole")).toBeUndefined();
    expect(await find("turn-k3f9x2m7q1-4", "beginning")).toBeUndefined();
    expect(await find("turn", "beginning")).toBeUndefined();
    expect(await refusal(find("turn-", "beginning"))).toEqual({
      reason: "execution-named-ambiguous",
      given: "turn-",
      names: [{ name: `turn-${session}-4` }, { name: `turn-${session}-1` }],
      places: "one",
    });
    const single = await openSession({ store, workspace, files: "off" });
    await single.prompt("one turn");
    await single.close();
    expect(await find(`turn-${single.id}`, "beginning")).toEqual({
      ...{ id: `turn-${single.id}-1`, session: single.id, steps: [], begins: 1 },
    });
    expect([await find(session, "beginning"), await find(`turn-${session}-9`, "beginning")]).toEqual([
      undefined,
      undefined,
    ]);
    const other = await run("turn-x");
    expect(await find("turn-", "beginning")).toMatchObject({ id: "turn-x", session: other });
  });

  it("is found by the beginning of its name only in its own workspace", async () => {
    const { store, context, workspace } = begun();
    const session = await tellConversation({ store, workspace });
    const elsewhere = { ...context, workspace: async () => newFolder() };
    const found = async (text: string) =>
      shown(await findExecution(elsewhere, store, { text, naming: "beginning" }));
    expect(await found(`turn-${session}`)).toBeUndefined();
    expect(await found(`turn-${session}-1`)).toMatchObject({ id: `turn-${session}-1`, begins: 1 });
  });

  it("is an error if its session cannot be read", async () => {
    const { store, context, workspace } = begun();
    const session = await tellConversation({ store, workspace });
    const broken = { ...store, open: async () => Promise.reject(new Error("The disk failed.")) };
    const named = { text: `turn-${session}-4`, naming: "whole" } as const;
    await expect(findExecution(context, broken, named)).rejects.toThrow("The disk failed.");
  });
});

describe("an execution that does not exist", () => {
  it("is an error that suggests the one execution that may be meant", async () => {
    const { context, store, run } = begun();
    const refusalOf = (text: string) => refusal(requireExecution(context, store, { text, naming: "whole" }));
    const reason = "execution-named-unknown";
    expect(await refusalOf("exec")).toEqual({ reason, given: "exec" });
    await run("exec-1");
    expect(await refusalOf("exec")).toEqual({ reason, given: "exec", near: "exec-1" });
    expect(await refusalOf("")).toEqual({ reason, given: "" });
    await run("exec-10");
    expect(await refusalOf("exec")).toEqual({ reason, given: "exec" });
    expect(await refusalOf("exce-1")).toEqual({ reason, given: "exce-1", near: "exec-1" });
    expect((await requireExecution(context, store, { text: "exec-1", naming: "whole" })).id).toBe("exec-1");
  });
});

describe("the checkpoint that the user named", () => {
  it("is a step of its execution: the latest attempt that the execution continues from, or the attempt that was named", async () => {
    const { context, store, workspace } = begun();
    const execution = await openExecution("exec-1", { store, workspace });
    await execution.step("one", () => 1);
    await execution.step("two", () => 2);
    await execution.resumeFrom("ckpt-exec-1-0");
    await execution.step("two", () => 3);
    await execution.step("three", () => 4);
    await execution.resumeFrom("ckpt-exec-1-1@1");
    await execution.close();
    const place = async (text: string) => {
      const { found, step } = await findPlace(context, store, { text, naming: "beginning" });
      return [found.id, step?.id];
    };
    expect(await place("exec")).toEqual(["exec-1", undefined]);
    expect(await place("ckpt-exec-1-0")).toEqual(["exec-1", "ckpt-exec-1-0@1"]);
    expect(await place("ckpt-exec-1-1")).toEqual(["exec-1", "ckpt-exec-1-1@1"]);
    expect(await place("ckpt-exec-1-1@2")).toEqual(["exec-1", "ckpt-exec-1-1@2"]);
    expect(await place("ckpt-exec-1-2")).toEqual(["exec-1", "ckpt-exec-1-2@1"]);
    const known = ["ckpt-exec-1-0@1", "ckpt-exec-1-1@1", "ckpt-exec-1-1@2", "ckpt-exec-1-2@1"];
    for (const checkpoint of ["ckpt-exec-1-3", "ckpt-exec-1-0@2", "ckpt-exec-1-1@3"]) {
      expect(await refusal(place(checkpoint))).toEqual({
        reason: "checkpoint-not-found",
        checkpoint,
        known,
        more: "no",
      });
    }
  });

  it("must contain the whole id of its execution, and the error suggests one that exists", async () => {
    const { context, store, run } = begun();
    await run("exec-10", ["one"]);
    await run("ckpt-odd-1", ["one"]);
    const place = (text: string) => findPlace(context, store, { text, naming: "beginning" });
    const reason = "checkpoint-named-unknown";
    const refused = async (given: string) => refusal(place(given));
    expect(await refused("ckpt-exec-1-0@2")).toEqual({
      reason,
      given: "ckpt-exec-1-0@2",
      execution: "exec-1",
      near: "ckpt-exec-10-0@2",
    });
    expect(await refused("ckpt-zzzz-1")).toEqual({ reason, given: "ckpt-zzzz-1", execution: "zzzz" });
    for (const given of ["ckpt-", "ckpt-zzzz", "ckpt-zzzz-x", "ckpt-zzzz-0@", "ckpt-zzzz-0@1x", "ckpt--1"]) {
      expect(await refused(given)).toEqual({ reason, given });
    }
    expect((await place("ckpt-odd-1")).found.id).toBe("ckpt-odd-1");
    expect((await place("ckpt-ckpt-odd-1-0")).step?.id).toBe("ckpt-ckpt-odd-1-0@1");
    await run("two\nlines", ["one"]);
    expect((await place("ckpt-two\nlines-0")).step?.id).toBe("ckpt-two\nlines-0@1");
  });
});

describe("the checkpoint to which an execution is restored", () => {
  async function ran() {
    const { context, store, workspace } = begun();
    const restore = (id: string, step?: string) =>
      findRestorePoint(context, { id, step }).then(({ view, row }) => [view.id, row.number]);
    return { store, workspace, restore, execution: await openExecution("exec-1", { store, workspace }) };
  }

  it("is that of the newest successful step, or of the step that was named by index or name", async () => {
    const { restore, execution } = await ran();
    for (const name of ["load", "item", "item", "1"]) await execution.step(name, () => name);
    await execution.save({ name: "broken", index: 4, status: "failed" });
    await execution.save({ name: "open", index: 5, status: "pending" });
    const { session } = execution;
    expect(await restore("exec-1")).toEqual([session, 4]);
    expect(await restore("exec-1", "load")).toEqual([session, 1]);
    expect(await restore("exec-1", "1")).toEqual([session, 2]);
    expect(await restore("exec-1", "2")).toEqual([session, 3]);
    expect(await restore("exec-1", "broken")).toEqual([session, 5]);
    expect(await restore("ckpt-exec-1-2")).toEqual([session, 3]);
    expect(await refusal(restore("exec-1", "item"))).toEqual({
      reason: "steps-of-same-name",
      execution: "exec-1",
      name: "item",
      places: [1, 2],
    });
    expect(await refusal(restore("exec-1", "nothing"))).toEqual({
      reason: "step-named-unknown",
      execution: "exec-1",
      step: "nothing",
      known: ["0 load", "1 item", "2 item", "3 1", "4 broken", "5 open"],
    });
    for (const work of [restore("exec-1", "open"), restore("ckpt-exec-1-5")]) {
      expect(await refusal(work)).toEqual({ reason: "step-not-ended", execution: "exec-1", step: "open" });
    }
    expect(await refusal(restore("ckpt-exec-1-0", "load"))).toEqual({ reason: "two-steps-named" });
    expect(await refusal(restore("exec"))).toEqual({
      reason: "execution-named-unknown",
      given: "exec",
      near: "exec-1",
    });
  });

  it("is the latest successful attempt that the execution continues from, if there is one", async () => {
    const { restore, execution } = await ran();
    const points = async (step: string) => {
      const [[, named], [, newest]] = [await restore("exec-1", step), await restore("exec-1")];
      return [named, newest];
    };
    const none = { reason: "no-successful-checkpoint", execution: "exec-1" };
    expect(await refusal(restore("exec-1"))).toEqual(none);
    await execution.save({ name: "one", index: 0, status: "failed" });
    expect(await refusal(restore("exec-1"))).toEqual(none);
    expect((await restore("exec-1", "one"))[1]).toBe(1);
    await execution.save({ name: "one", index: 0 });
    await execution.save({ name: "one", index: 0, status: "failed" });
    expect(await points("one")).toEqual([2, 2]);
    await execution.save({ name: "two", index: 1 });
    await execution.save({ name: "two", index: 1, status: "failed" });
    expect(await points("two")).toEqual([4, 4]);
    await execution.resumeFrom("ckpt-exec-1-0@2");
    expect(await points("two")).toEqual([4, 2]);
    await execution.save({ name: "two", index: 2, status: "failed" });
    expect(await points("two")).toEqual([6, 2]);
    await execution.resumeFrom("ckpt-exec-1-0@2");
    expect(await refusal(restore("exec-1", "two"))).toMatchObject({
      reason: "steps-of-same-name",
      places: [1, 2],
    });
    await execution.resumeFrom("ckpt-exec-1-1@1");
    expect(await points("two")).toEqual([4, 4]);
  });

  it("is an earlier one if a crash cut off the newest one", async () => {
    const place = withExecutions();
    const execution = await place.open("exec-1");
    for (const name of ["one", "two"]) await execution.step(name, () => name);
    await execution.close();
    const log = join(place.home, "sessions", execution.session, "log.jsonl");
    const lines = readFileSync(log, "utf8").split("\n");
    const cut = lines.findLastIndex((line) => line.includes('"kind":"checkpoint"'));
    writeFileSync(log, `${lines.slice(0, cut).join("\n")}\n`);
    const { row } = await findRestorePoint(frameOf(place), { id: "exec-1", step: undefined });
    expect(row.number).toBe(1);
  });

  it("is where a turn began, unless a step of it was named", async () => {
    const { restore, store, workspace } = await ran();
    const session = await tellConversation({ store, workspace });
    const turn = `turn-${session}-4`;
    expect([await restore(turn), await restore(turn, "reply")]).toEqual([
      [session, 4],
      [session, 5],
    ]);
  });
});

describe("an id that is shown", () => {
  it("is quoted and escaped only if it would be invisible or ambiguous", () => {
    const ids = ["exec-1", "two words", "é😀", " a", "a ", "", " ", "\n", "\u200b", "\u0301", "\u00a0😀"];
    expect(ids.map(visibleId)).toEqual([
      "exec-1",
      "two words",
      "é😀",
      '" a"',
      '"a "',
      '""',
      '" "',
      '"\\n"',
      "<U+200B>",
      '"\\u0301"',
      '"\\u00a0\\ud83d\\ude00"',
    ]);
  });
});
