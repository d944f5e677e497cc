import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toSeq } from "../../../src/record/ids.ts";
import { writtenSession } from "./written-session.ts";

type Told = Awaited<ReturnType<typeof writtenSession>>;

const logNames = (folder: string) =>
  readdirSync(folder)
    .filter((name) => /^log\.jsonl/.test(name))
    .sort();

/** Rotates once and appends a prompt. */
async function rotate({ store, story, session }: Told, text: string): Promise<void> {
  const file = await store.rotationDue(session);
  if (file === undefined) throw new Error("No rotation is due.");
  const rotated = story.rotated(file);
  await store.rotate(session, rotated);
  const next = story.prompt(text);
  await store.append(session, next.seq, [next]);
}

describe("rotation", () => {
  it("is due past the limit only", async () => {
    const small = await writtenSession({ prompts: ["x"], rotateBytes: 10_000 });
    expect(await small.store.rotationDue(small.session)).toBeUndefined();
    await small.store.append(small.session, toSeq(3), [small.story.prompt("y".repeat(10_000))]);
    expect(await small.store.rotationDue(small.session)).toBe(2);
    await rotate(small, "z");
    expect(await small.store.rotationDue(small.session)).toBeUndefined();
    await small.remove();
  });

  it("numbers files as they grow, and reads across them with and without the index", async () => {
    const it = await writtenSession({ prompts: ["one"], rotateBytes: 1 });
    for (const text of ["two", "three", "four"]) await rotate(it, text);
    expect(logNames(it.folder)).toEqual(["log.jsonl", "log.jsonl.1", "log.jsonl.2", "log.jsonl.3"]);
    expect(readFileSync(it.log, "utf8")).toMatch(/^\{"seq":7,.*"kind":"rotated","file":4,/);
    await it.store.close();
    for (const index of ["with", "without"]) {
      if (index === "without") rmSync(join(it.folder, "index"));
      expect(await it.all()).toEqual(it.story.entries);
      expect((await it.another().open(it.session)).damage).toEqual([]);
    }
    await it.remove();
  });

  it("that ended between link and rename opens undamaged, continues, and completes with the next try", async () => {
    const it = await writtenSession({ prompts: ["one", "two"], rotateBytes: 1 });
    await it.store.close();
    linkSync(it.log, `${it.log}.1`);
    const writer = it.another();
    expect((await writer.open(it.session)).damage).toEqual([]);
    await writer.append(it.session, toSeq(4), [it.story.prompt("three")]);
    expect(await it.all()).toEqual(it.story.entries);
    await rotate({ ...it, store: writer }, "four");
    expect(logNames(it.folder)).toEqual(["log.jsonl", "log.jsonl.1"]);
    expect(await it.all()).toEqual(it.story.entries);
    expect((await it.another().open(it.session)).damage).toEqual([]);
    await it.remove();
  });

  it("that ended between link and rename is cleared away by recover", async () => {
    const it = await writtenSession({ prompts: ["one"] });
    linkSync(it.log, `${it.log}.1`);
    writeFileSync(`${it.log}.new`, "half a file");
    await it.another().recover(it.session);
    expect(logNames(it.folder)).toEqual(["log.jsonl"]);
    await it.remove();
  });

  it("whose older file is lost is reported, and the rest is read", async () => {
    const it = await writtenSession({ prompts: ["one"], rotateBytes: 1 });
    for (const text of ["two", "three"]) await rotate(it, text);
    await it.store.close();
    rmSync(`${it.log}.1`);
    const { damage, outline } = await it.another().open(it.session);
    expect(damage.map(({ what, file }) => [what, file])).toEqual([
      ["file", "log.jsonl.1"],
      ["header", "log.jsonl.2"],
      ["missing", "log.jsonl.2"],
    ]);
    expect(outline.gaps).toEqual([2]);
    expect(await it.all()).toEqual(it.story.entries.filter((entry) => entry.seq !== 2));
    await it.remove();
  });

  it("names the file of a damaged line, and counts lines in that file", async () => {
    const it = await writtenSession({ prompts: ["one"], rotateBytes: 1 });
    await rotate(it, "two");
    await it.store.close();
    rmSync(join(it.folder, "index"));
    const lines = readFileSync(it.log, "utf8").split("\n");
    writeFileSync(it.log, [lines[0], "garbage", ""].join("\n"));
    expect((await it.another().open(it.session)).damage).toMatchObject([
      { what: "line", file: "log.jsonl", line: 2 },
    ]);
    await it.remove();
  });

  it("by another process is seen by one that has the session open", async () => {
    const it = await writtenSession({ prompts: ["one"], rotateBytes: 1 });
    const reader = it.another();
    await reader.open(it.session);
    await rotate(it, "two");
    expect(await reader.read(it.session, toSeq(1), toSeq(99))).toEqual(it.story.entries);
    await it.remove();
  });

  it("never leaves the session without its live file, at any step", async () => {
    const it = await writtenSession({ prompts: ["one"], rotateBytes: 1 });
    // Simulates the worst intermediate state: the live log was renamed before its successor exists.
    renameSync(it.log, `${it.log}.1`);
    expect(await it.another().list()).toEqual([it.session]);
    expect(await it.all()).toEqual(it.story.entries);
    await it.remove();
  });
});
