import { describe, expect, it, onTestFinished } from "vitest";
import * as library from "../src/index.ts";
import { tempFolder } from "../src/testing/temp-folder.ts";
import { begin, openSessionDeps } from "./machine/deps.ts";

type Call = (...given: readonly unknown[]) => unknown;

/** The exports as an untyped caller sees them. */
const calls = library as unknown as Readonly<Record<string, Call>>;
const deps = { store: library.openMemoryStore(), clock: library.systemClock };
const { store } = deps;

async function errorOf(work: () => unknown): Promise<unknown> {
  try {
    const result = await work();
    // An export is a generator, which runs only once its first piece is requested.
    const pieces = (result as AsyncGenerator | undefined)?.[Symbol.asyncIterator]?.();
    await pieces?.next();
    return "no error";
  } catch (error) {
    return error;
  }
}

describe("a function of the library", () => {
  it.each<readonly [name: string, argument: string, given: readonly unknown[]]>([
    ["createSession", "option", [5]],
    ["exportBundle", "view", [5]],
    ["exportBundle", "store", [{ outline: 1 }, 5]],
    ["exportJson", "view", []],
    ["exportMarkdown", "view", [5]],
    ["findKimiSessions", "home", [5]],
    ["forkSession", "deps", [{ foo: 1 }]],
    ["forkSession", "source", [deps, { foo: 1 }]],
    ["examine", "store", []],
    ["examine", "wanted", [store, 5]],
    ["heal", "store", [5]],
    ["heal", "problem", [store, 5]],
    ["holdSession", "id", [deps, 5, { name: "a test" }]],
    ["importBundle", "deps", [5]],
    ["importBundle", "source", [deps, 5]],
    ["importKimi", "path", [deps, 5]],
    ["listExecutions", "store", [{}]],
    ["listSessions", "store", []],
    ["listSessions", "workspace", [store, 5]],
    ["openExecution", "workspace", ["id", { workspace: "" }]],
    ["openSession", "options", [new Map()]],
    ["openSession", "options", [new Date()]],
    ["openStore", "address", [5]],
    ["openWorkspaceFiles", "option", [5]],
    ["openWorkspaceFiles", "workspace", [{ workspace: "" }]],
    ["performForget", "deps", [5]],
    ["performForget", "options", [deps, { what: "text", text: "secret" }]],
    ["planForget", "store", [5]],
    ["resolveSession", "store", []],
    ["resolveSession", "wanted", [store]],
    ["viewSession", "store", []],
    ["viewSession", "id", [store, 5]],
  ])("%s refuses a wrong %s (%j)", async (name, argument, given) => {
    expect(await errorOf(() => calls[name]?.(...given))).toMatchObject({
      code: "INPUT_INVALID",
      message: expect.stringContaining(argument),
    });
  });
});

describe("a call of a session", () => {
  it.each<readonly [name: string, argument: string, given: readonly unknown[]]>([
    ["on", "listener", [5]],
    ["prompt", "content", [""]],
    ["prompt", "content", [[]]],
    ["prompt", "content", [5]],
    ["checkpoint", "label", [5]],
    ["context", "at", [{ foo: 1 }]],
    ["rewind", "options", [new Map()]],
  ])("%s refuses a wrong %s (%j), and writes nothing", async (name, argument, given) => {
    const session = await begin(openSessionDeps());
    const before = session.outline.length;
    const call = (session as unknown as Readonly<Record<string, Call>>)[name];
    expect(await errorOf(() => call?.apply(session, [...given]))).toMatchObject({
      code: "INPUT_INVALID",
      message: expect.stringContaining(argument),
    });
    expect(session.outline.length).toBe(before);
    await session.close();
  });

  it("writes also where a listener throws or rejects, which becomes a warning", async () => {
    const warnings: string[] = [];
    const listen = (warning: Error): void => void warnings.push(warning.message.split("\n")[0] ?? "");
    process.on("warning", listen);
    onTestFinished(() => void process.off("warning", listen));
    const session = await begin(openSessionDeps());
    const stop = session.on(() => {
      throw new Error("thrown");
    });
    await session.prompt("one");
    stop();
    session.on((async () => Promise.reject(new Error("rejected"))) as () => void);
    await session.append({ kind: "title", title: "two" });
    await session.close();
    await new Promise(setImmediate);
    expect(new Set(warnings)).toEqual(
      new Set(["A listener threw: Error: thrown", "A listener threw: Error: rejected"]),
    );
  });
});

describe("a step", () => {
  it.each<readonly [what: string, options: object]>([
    ["unfinished", { unfinished: "again" }],
    ["unfinished", { unfinished: { skp: 1 } }],
    ["unfinished", { unfinished: { skip: 1, x: 2 } }],
    ["unfinished", { unfinished: true }],
    ["tried 1.5", { maxRetries: 1.5 }],
    ["tried Infinity", { maxRetries: Number.POSITIVE_INFINITY }],
  ])("is refused with a wrong option before it runs (%s: %j)", async (what, options) => {
    const temporary = tempFolder();
    onTestFinished(temporary.remove);
    const { path } = temporary;
    const execution = await library.openExecution("a", { home: path, workspace: path });
    let runs = 0;
    await expect(execution.step("one", () => (runs += 1), options)).rejects.toMatchObject({
      code: "INPUT_INVALID",
      message: expect.stringContaining(what),
    });
    expect(runs).toBe(0);
    await execution.close();
  });
});
