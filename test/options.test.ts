import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as library from "../src/index.ts";
import { inTempFolder } from "../src/testing/testing.ts";

interface Place {
  readonly home: string;
  readonly workspace: string;
}

async function inPlace(work: (place: Place) => Promise<void>): Promise<void> {
  await inTempFolder(async (folder) => {
    const place = { home: join(folder, "home"), workspace: join(folder, "work") };
    mkdirSync(place.workspace);
    await work(place);
  });
}

type Options = Readonly<Record<string, unknown>>;

/** The exports as an untyped caller sees them, which may pass anything. */
const untyped = library as unknown as Readonly<Record<string, (...given: readonly unknown[]) => unknown>>;

async function refusal(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof library.WorldlineError)) throw error;
    expect(error.hint).toMatch(/\S/u);
    return `${error.code} ${error.message}`;
  }
  return "accepted";
}

describe("openSession", () => {
  it.each<[Options, string]>([
    [{ backtrack: false }, 'the backtrack option must be "on" or "off", not false.'],
    [{ mode: "chat" }, 'the mode option must be "agent", "workspace", or "execution", not "chat".'],
    [{ files: true }, 'the files option must be "on" or "off", not true.'],
    [{ files: "On" }, 'the files option must be "on" or "off", not "On".'],
    [{ system: 5 }, "the system option must be a string, not 5."],
    [{ resume: null }, "the resume option must be a string, not null."],
    [{ store: {} }, "the store option must be an address or an open store, not an object."],
    [{ waitMs: -1 }, "the waitMs option must be a non-negative number, not -1."],
    [{ name: [] }, "the name option must be a string, not an array."],
    [{ backtracks: "off" }, 'unknown option "backtracks".'],
    [{ toString: 1 }, 'unknown option "toString".'],
  ])("refuses %j, and writes nothing", async (options, message) => {
    await inPlace(async (place) => {
      const said = await refusal(() => untyped["openSession"]?.({ ...place, ...options }));
      expect(said).toBe(`INPUT_INVALID openSession: ${message}`);
      expect(existsSync(place.home)).toBe(false);
    });
  });

  it("says what may have been meant, and which names are known", async () => {
    await inPlace(async (place) => {
      await expect(library.openSession({ ...place, backtracs: "on" } as never)).rejects.toMatchObject({
        hint: "Did you mean backtrack? Its options: workspace, mode, system, backtrack, task, resume, home, files, store, settings, name, waitMs, takeOver, unconfirmed",
      });
      await expect(library.openSession({ ...place, mode: "agnet" } as never)).rejects.toMatchObject({
        hint: 'Did you mean "agent"?',
      });
    });
  });

  it("refuses unknown settings", async () => {
    await inPlace(async (place) => {
      const said = await refusal(() => untyped["openSession"]?.({ ...place, settings: { windows: 5 } }));
      expect(said).toBe('INPUT_INVALID settings: unknown option "windows".');
      expect(existsSync(place.home)).toBe(false);
    });
  });

  it("takes undefined for an option that is left out", async () => {
    await inPlace(async ({ home, workspace }) => {
      const none = {
        mode: undefined,
        system: undefined,
        backtrack: undefined,
        resume: undefined,
        files: undefined,
        store: undefined,
        settings: undefined,
        name: undefined,
        waitMs: undefined,
        task: undefined,
      };
      const session = await library.openSession({ home, workspace, ...none } as never);
      expect(session.header).toMatchObject({ mode: "agent", backtrack: "on" });
      const { id } = session;
      await session.close();
      const again = await library.openSession({ home, workspace, resume: id });
      expect(again.damage).toEqual([]);
      await again.close();
      expect(readdirSync(join(home, "sessions"))).toContain(id);
    });
  });
});

describe("every other call that takes options", () => {
  it("refuses unknown ones and wrong ones", async () => {
    await inPlace(async ({ home, workspace }) => {
      const store = library.openMemoryStore();
      const deps = { store, clock: library.systemClock };
      const session = await library.createSession(deps, { workspace }, { name: "test" });
      await session.checkpoint("one");
      const view = await library.viewSession(store, session.id);
      const execution = await library.openExecution("e", { home, workspace, store });
      const bundle = untyped["exportBundle"]?.(view, store, { file: 1 }) as AsyncGenerator<Uint8Array>;
      const steps = execution as unknown as Readonly<
        Record<string, (...given: readonly unknown[]) => unknown>
      >;
      const calls = session as unknown as typeof steps;
      const odd = { nothing: 1 };
      const refused: readonly (() => unknown)[] = [
        () => untyped["openExecution"]?.("e", { home, workspace, ...odd }),
        () => untyped["openExecution"]?.("e", { home, workspace, settings: odd }),
        () => untyped["openStore"]?.("files", { home, ...odd }),
        () => untyped["openStore"]?.(5),
        () => untyped["openWorkspaceFiles"]?.({ home, workspace, ...odd }),
        () => untyped["openWorkspaceFiles"]?.({ home, workspace, threads: "many" }),
        () => untyped["openSnapshotObjects"]?.({ home, ...odd }),
        () => untyped["openForgettableFiles"]?.({ home, ...odd }),
        () => untyped["openMemoryStore"]?.(odd),
        () => untyped["openFilesStore"]?.({ root: home, clock: library.systemClock, ...odd }),
        () => untyped["openSqliteStore"]?.({ path: join(home, "x.db"), clock: library.systemClock, ...odd }),
        () =>
          untyped["openPostgresStore"]?.({
            url: "postgres://127.0.0.1/x",
            clock: library.systemClock,
            ...odd,
          }),
        () => untyped["listExecutions"]?.(store, { kind: "program" }),
        () => untyped["listExecutions"]?.(store, { kinds: ["programs"] }),
        () => untyped["createSession"]?.(deps, { workspace, mode: "chat" }, { name: "x" }),
        () => untyped["createSession"]?.(deps, {}, { name: "x" }),
        () => untyped["createSession"]?.({ ...deps, touchedFiles: true }, { workspace }, { name: "x" }),
        () => untyped["createSession"]?.({ store }, { workspace }, { name: "x" }),
        () => untyped["holdSession"]?.(deps, session.id, { name: "x", waitMs: "1" }),
        () => untyped["holdSession"]?.(deps, session.id, {}),
        () => untyped["forkSession"]?.(deps, view, { from: 1 }),
        () => untyped["exportMarkdown"]?.(view, { branch: "left" }),
        () => bundle.next(),
        () => untyped["importBundle"]?.(deps, [], odd),
        () => untyped["importKimi"]?.(deps, workspace, odd),
        () => untyped["planForget"]?.(store, { what: "everything" }),
        () => untyped["planForget"]?.(store, { what: "text" }),
        () => calls["rewind"]?.({ to: 1 }),
        () => calls["rewind"]?.({ to: 1, scope: "all" }),
        () => calls["rewind"]?.({ to: 1, scope: "both", choice: "mine" }),
        () => calls["rewind"]?.("1"),
        () => calls["redo"]?.({ journey: "x" }),
        () => calls["compact"]?.({ summary: 5 }),
        () => calls["compact"]?.(),
        () => calls["checkpoint"]?.("two", odd),
        () => calls["checkpoint"]?.("two", { author: "me" }),
        () => calls["capture"]?.({ checkpoint: 1 }),
        () => calls["previewFiles"]?.({ to: 1, ...odd }),
        () => calls["requestBacktrack"]?.("c", { to: 1, note: "n", files: true }),
        () => steps["step"]?.("a", () => 1, { maxRetry: 1 }),
        () => steps["step"]?.("a", () => 1, { onFailed: true }),
        () => steps["save"]?.({ name: "a", index: 0, output: 1 }),
        async () => unwrapped(await steps["retryFrom"]?.(1, odd)),
        () => steps["checkpoints"]?.({ branches: "all" }),
        () => steps["lastSuccessful"]?.({ before: "3" }),
      ];
      const before = await store.stamp(session.id);
      const said: [call: string, message: unknown][] = [];
      for (const call of refused) said.push([String(call), await refusal(call)]);
      expect(said.filter(([, message]) => !String(message).startsWith("INPUT_INVALID "))).toEqual([]);
      expect(await store.stamp(session.id)).toBe(before);
      expect(await execution.checkpoints()).toEqual([]);
      expect(await store.list()).toHaveLength(2);
      await execution.close();
      await session.close();
      expect(existsSync(home)).toBe(false);
    });
  });

  it("refuses an entry that is not as its kind demands, and writes nothing", async () => {
    const store = library.openMemoryStore();
    const session = await library.createSession(
      { store, clock: library.systemClock },
      { workspace: "/work" },
      { name: "test" },
    );
    const before = await store.stamp(session.id);
    for (const draft of [
      { kind: "nothing" },
      { kind: "title", title: 5 },
      { kind: "title" },
      null,
      "title",
    ]) {
      await expect(session.append(draft as never)).rejects.toMatchObject({ code: "ENTRY_INVALID" });
    }
    expect(await store.stamp(session.id)).toBe(before);
    await session.close();
  });
});

/** Rethrows an error that is returned: the calls that go back return it instead of throwing. */
function unwrapped(result: unknown): void {
  const { error } = result as { readonly error?: Error };
  if (error !== undefined) throw error;
}
