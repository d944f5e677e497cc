import { describe, expect, it } from "vitest";
import { viewSession } from "../../src/machine/open.ts";
import type { SessionEvent } from "../../src/machine/session.ts";
import type { Draft, Entry } from "../../src/record/entry.ts";
import { toCheckpointNumber, toSeq } from "../../src/record/ids.ts";
import { textPart } from "../../src/record/parts.ts";
import { afterCrash, begin, kinds, openSessionDeps, refusal, reopen } from "./deps.ts";

const prompt = (text: string): Draft => ({ kind: "prompt", parts: [textPart(text)] });

async function collect(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const all: Entry[] = [];
  for await (const entry of entries) all.push(entry);
  return all;
}

describe("writing", () => {
  it("resolves when the entry is in the store, before any listener is called", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    const durableAt: number[] = [];
    session.on((event) => {
      if (event.type === "entry") durableAt.push(deps.appends.flat().length);
    });
    await session.prompt("find the leak");
    expect(deps.appends).toEqual([["checkpoint", "prompt"]]);
    expect(durableAt).toEqual([2, 2]);
  });

  it("appends everything from one tick in one write", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await Promise.all(Array.from({ length: 100 }, async (_, n) => session.append(prompt(`p${n}`))));
    expect(deps.appends).toEqual([Array.from({ length: 100 }, () => "prompt")]);
    const texts = (await session.history()).flatMap((entry) => (entry.kind === "prompt" ? entry.parts : []));
    expect(texts).toEqual(Array.from({ length: 100 }, (_, n) => textPart(`p${n}`)));
  });

  it("takes what came during a write with the next one", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    const first = session.append(prompt("one"));
    await Promise.resolve();
    await Promise.resolve();
    await Promise.all([first, session.append(prompt("two")), session.append(prompt("three"))]);
    expect(deps.appends.map((kindsOf) => kindsOf.length).reduce((sum, count) => sum + count)).toBe(3);
    expect(deps.appends.length).toBeLessThanOrEqual(2);
  });

  it("gives lines without gaps and numbers without repeats, however many at once", async () => {
    const session = await begin(openSessionDeps());
    const numbers = await Promise.all(Array.from({ length: 200 }, async () => session.checkpoint()));
    expect([...numbers].sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
    expect((await session.history()).map((entry) => entry.seq)).toEqual(
      Array.from({ length: 201 }, (_, n) => n + 1),
    );
    expect(session.checkpointCount).toBe(200);
  });

  it("tells the same entry events again when the session is replayed", async () => {
    const deps = openSessionDeps({ blobBytes: 50 });
    const session = await begin(deps);
    const told: SessionEvent[] = [];
    const retold: SessionEvent[] = [];
    session.on((event) => told.push(event));
    await session.prompt("x".repeat(200));
    await session.step();
    await session.rewind(1);
    await session.redo();
    const again = await reopen(deps, session);
    await again.replay((event) => retold.push(event));
    expect(retold.slice(1)).toEqual(told);
  });

  it("is not stopped by a listener that throws, and tells nothing to one that has left", async () => {
    const session = await begin(openSessionDeps());
    const heard: string[] = [];
    const stop = session.on((event) => heard.push(event.type));
    await session.append(prompt("one"));
    stop();
    await session.append(prompt("two"));
    expect(heard).toEqual(["entry"]);
  });
});

describe("a store that takes nothing", () => {
  it("is retried, reported as trouble, and nothing is lost or out of order", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    const events: string[] = [];
    session.on((event) => {
      if (event.type === "entry") events.push(event.entry.kind);
      else if (event.type === "storage-trouble") events.push(`${event.error.code}, ${event.waiting} waiting`);
      else if (event.type === "storage-healed") events.push(`healed, ${event.written} written`);
    });
    deps.failing = { times: 2, code: "STORE_FULL" };
    await session.prompt("find the leak");
    expect(events).toEqual([
      "STORE_FULL, 2 waiting",
      "STORE_FULL, 2 waiting",
      "healed, 2 written",
      "checkpoint",
      "prompt",
    ]);
  });

  it("costs no entry when it fails for long: they go out with the next try, in order", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    deps.failing = { times: 8, code: "STORE_UNWRITABLE" };
    expect(await refusal(session.append(prompt("one")))).toContain("STORE_UNWRITABLE");
    expect(await refusal(session.append(prompt("two")))).toContain("STORE_UNWRITABLE");
    await session.append(prompt("three"));
    expect(deps.appends).toEqual([["prompt", "prompt", "prompt"]]);
    const again = await reopen(deps, session);
    const parts = (await again.history()).flatMap((entry) => (entry.kind === "prompt" ? entry.parts : []));
    expect(parts).toEqual([textPart("one"), textPart("two"), textPart("three")]);
  });

  it("still shows everything that waits to the model and the user", async () => {
    const deps = openSessionDeps({ blobBytes: 40 });
    const session = await begin(deps);
    deps.failing = { times: 4, code: "STORE_FULL" };
    await refusal(
      session.append({
        kind: "tool-start",
        call: "a",
        name: "x",
        input: { $blob: "a long text that a tool was given as its input" },
      }),
    );
    expect((await session.history()).at(-1)).toMatchObject({
      input: { $blob: "a long text that a tool was given as its input" },
    });
    const all = await collect(session.all());
    expect(all.map((entry) => entry.seq)).toEqual([1, 2]);
    await session.flush();
    expect((await session.history()).at(-1)).toMatchObject({
      input: { $blob: "a long text that a tool was given as its input" },
    });
  });

  it("is reported at the end, and the session is still released", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    deps.failing = { times: 8, code: "STORE_FULL" };
    await refusal(session.append(prompt("one")));
    expect(await refusal(session.close())).toContain("STORE_FULL");
    const next = await afterCrash(deps, session.id);
    expect(await kinds(next)).toEqual(["session"]);
  });
});

describe("a log that another program has written to", () => {
  it("ends the session: nothing of ours is put on top of a past that is not ours", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    const other = await afterCrash(deps, session.id);
    await other.prompt("theirs");
    expect(await refusal(session.prompt("ours"))).toBe(
      "SESSION_CLOSED Another program has written to this session. The next line in the log is 4, not 2.",
    );
    expect(await refusal(session.prompt("ours"))).toContain("SESSION_CLOSED");
    expect(await refusal(session.flush())).toContain("SESSION_CLOSED");
    await session.close();
    expect(await kinds(await viewSession(deps.store, session.id))).toEqual([
      "session",
      "checkpoint",
      "prompt",
    ]);
  });
});

describe("input that cannot be written", () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  it.each<[string, string, unknown]>([
    ["a prompt of no known shape", "ENTRY_INVALID", [{ type: "smell", text: "x" }]],
    ["a prompt without parts", "INPUT_INVALID", null],
  ])("as %s changes nothing, not even the prompt's checkpoint", async (_what, code, content) => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    expect(await refusal(session.prompt(content as string))).toContain(code);
    expect(session.outline.length).toBe(1);
    expect(await session.prompt("fine")).toMatchObject({ checkpoint: 1 });
    expect(deps.appends).toEqual([["checkpoint", "prompt"]]);
  });

  it.each<[string, unknown]>([
    ["a circle", circle],
    ["a BigInt", { big: 1n }],
    ["20,000 brackets", JSON.parse(deep)],
  ])("as %s in a tool's input is refused, and does not block what follows", async (_what, input) => {
    const session = await begin(openSessionDeps());
    expect(await refusal(session.toolStart("a", "x", { input: input as string }))).toContain("ENTRY_INVALID");
    await session.prompt("fine");
    expect(await kinds(session)).toEqual(["session", "checkpoint", "prompt"]);
  });

  it("as a number that was given before, an unknown kind or an unknown parent is refused", async () => {
    const session = await begin(openSessionDeps());
    await session.checkpoint();
    const one: Draft = { kind: "checkpoint", number: toCheckpointNumber(1), on: "manual" };
    expect(await refusal(session.append(one))).toContain("the number 1 is already taken");
    const two: Draft = { ...one, number: toCheckpointNumber(2) };
    expect(await refusal(session.write([{ draft: two }, { draft: two }]))).toContain("ENTRY_INVALID");
    expect(await refusal(session.append({ kind: "smell" } as unknown as Draft))).toContain("ENTRY_INVALID");
    const lost = { draft: prompt("x"), parent: "zzzzzzzzzzzz" as Entry["id"] };
    expect(await refusal(session.write([lost]))).toContain("ENTRY_UNKNOWN");
    expect(session.outline.length).toBe(2);
  });

  it("is refused after the session was closed", async () => {
    const session = await begin(openSessionDeps());
    await session.close();
    await session.close();
    expect(await refusal(session.prompt("late"))).toBe("SESSION_CLOSED This session was closed.");
  });
});

describe("a file that is full", () => {
  it("is followed by a new one, whose first line says what it belongs to", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    deps.fileDue = 2;
    await session.append(prompt("one"));
    await Promise.all([session.append(prompt("two")), session.append(prompt("three"))]);
    await session.append(prompt("four"));
    expect(deps.appends).toEqual([["prompt"], ["rotated"], ["prompt", "prompt"], ["prompt"]]);
    expect((await session.history())[2]).toMatchObject({
      kind: "rotated",
      file: 2,
      session: session.id,
      version: 1,
    });
  });

  it("has its first line on the branch, between the head and what was to follow it", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    deps.fileDue = 2;
    const head = await session.append(prompt("one"));
    await session.write([{ draft: prompt("two"), parent: head }]);
    expect(session.outline.rows().map((row) => row.parent)).toEqual([0, 1, 2, 3]);
    expect(await kinds(session)).toEqual(["session", "prompt", "rotated", "prompt"]);
  });

  it("is begun once, however many entries come in while it is full", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    deps.fileDue = 2;
    const written: Promise<unknown>[] = [];
    for (let n = 0; n < 60; n += 1) {
      written.push(session.append(prompt(`p${n}`)));
      await Promise.resolve();
    }
    await Promise.all(written);
    expect(deps.appends.flat().filter((kind) => kind === "rotated")).toHaveLength(1);
    expect(deps.appends.flat()).toHaveLength(61);
  });

  it("is begun once, also when the store fails in the middle", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    deps.fileDue = 2;
    await session.append(prompt("one"));
    deps.failing = { times: 4, code: "STORE_FULL" };
    expect(await refusal(session.append(prompt("two")))).toContain("STORE_FULL");
    await session.append(prompt("three"));
    expect(deps.appends).toEqual([["prompt"], ["rotated"], ["prompt", "prompt"]]);
    expect(await kinds(await reopen(deps, session))).toEqual([
      "session",
      "prompt",
      "rotated",
      "prompt",
      "prompt",
    ]);
  });
});

describe("a long text", () => {
  const long = "é".repeat(300);

  it("goes to a blob, once, and comes back whole", async () => {
    const deps = openSessionDeps({ blobBytes: 100 });
    const session = await begin(deps);
    await session.prompt(long);
    await session.prompt(long);
    expect(await deps.store.listBlobs(session.id)).toHaveLength(1);
    const [stored] = await deps.store.read(session.id, toSeq(3), toSeq(3));
    expect(JSON.stringify(stored)).toContain("$blob");
    const again = await reopen(deps, session);
    expect((await again.history())[2]).toMatchObject({ parts: [textPart(long)] });
    expect((await again.checkpoints())[0]?.prompt).toBe("é".repeat(80));
  });

  it("costs its own text and nothing else when its blob is lost", async () => {
    const deps = openSessionDeps({ blobBytes: 100 });
    const session = await begin(deps);
    await session.prompt(long);
    await session.prompt("short");
    const [hash] = await deps.store.listBlobs(session.id);
    deps.room.sessions.get(session.id)?.blobs.clear();
    const [, , lost, , short] = await session.history();
    expect(lost).toMatchObject({ parts: [textPart(`[This text is lost: blob ${hash} is missing]`)] });
    expect(short).toMatchObject({ parts: [textPart("short")] });
  });
});
