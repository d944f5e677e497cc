import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toSeq } from "../../../src/record/ids.ts";
import { writtenSession } from "./written-session.ts";

const PROMPTS = ["one", "two", "three", "four"];

describe("a torn last line", () => {
  it("is set aside, and the next entry is on its own line", async () => {
    const { store, story, session, add, folder, all, remove } = await writtenSession({ prompts: PROMPTS });
    add('{"seq":6,"id":"0000000');
    const before = await store.open(session);
    expect(before.damage).toEqual([
      {
        what: "torn-tail",
        file: "log.jsonl",
        line: 6,
        bytes: 22,
        why: "The last line was not completely written.",
        reason: "damage-torn-tail",
      },
    ]);
    expect(before.outline.nextSeq).toBe(6);
    expect(await store.recover(session)).toEqual({ setAside: [{ file: "log.jsonl.torn-1", bytes: 22 }] });
    expect(readFileSync(join(folder, "log.jsonl.torn-1"), "utf8")).toBe('{"seq":6,"id":"0000000');
    await store.append(session, toSeq(6), [story.prompt("five")]);
    expect(await all()).toEqual(story.entries);
    expect((await store.open(session)).damage).toEqual([]);
    await remove();
  });

  it("is set aside also if `recover` was never called, and under a new name each time", async () => {
    const { store, story, session, add, folder, all, remove } = await writtenSession({ prompts: PROMPTS });
    for (const stump of ["first stump", "second \ufffd stump"]) {
      add(stump);
      const next = story.prompt(`after ${stump}`);
      await store.append(session, next.seq, [next]);
    }
    expect(await all()).toEqual(story.entries);
    expect(readdirSync(folder).filter((name) => name.includes("torn"))).toEqual([
      "log.jsonl.torn-1",
      "log.jsonl.torn-2",
    ]);
    await remove();
  });

  it("cut in the middle of a character costs only itself", async () => {
    const { store, story, session, add, all, remove } = await writtenSession({ prompts: PROMPTS });
    add(Buffer.from("☃").subarray(0, 2));
    await store.recover(session);
    expect(await all()).toEqual(story.entries);
    await remove();
  });

  it("that is a whole entry without its newline is kept, and its line ended", async () => {
    const { store, story, session, log, folder, all, remove } = await writtenSession({ prompts: PROMPTS });
    truncateSync(log, readFileSync(log).length - 1);
    expect((await store.open(session)).outline.nextSeq).toBe(6);
    expect(await store.recover(session)).toEqual({ setAside: [] });
    await store.append(session, toSeq(6), [story.prompt("five")]);
    expect(await all()).toEqual(story.entries);
    expect(readdirSync(folder).filter((name) => name.includes("torn"))).toEqual([]);
    await remove();
  });

  it("is not touched by opening and reading", async () => {
    const { session, add, log, another, remove } = await writtenSession({ prompts: PROMPTS });
    add("stump");
    const before = readFileSync(log);
    const reader = another();
    await reader.open(session);
    await reader.read(session, toSeq(1), toSeq(99));
    await reader.verify(session);
    await reader.close();
    expect(readFileSync(log)).toEqual(before);
    await remove();
  });
});

describe("lines that are not as they were written", () => {
  it("two entries glued together are both there", async () => {
    const { session, story, lines, log, another, all, remove } = await writtenSession({ prompts: PROMPTS });
    const [one, two, ...rest] = lines();
    writeFileSync(log, `${one}${two}\n${rest.join("\n")}\n`);
    expect(await all()).toEqual(story.entries);
    expect((await another().open(session)).damage).toEqual([]);
    await remove();
  });

  it("a stump with an entry glued to it costs the stump", async () => {
    const { session, story, lines, write, another, all, remove } = await writtenSession({ prompts: PROMPTS });
    const [one = "", two = "", ...rest] = lines();
    write([one, `${two.slice(0, 40)}${two}`, ...rest]);
    expect(await all()).toEqual(story.entries);
    const { outline, damage } = await another().open(session);
    expect(outline.gaps).toEqual([]);
    expect(damage).toMatchObject([{ what: "line", file: "log.jsonl", line: 2, bytes: 40 }]);
    await remove();
  });

  it("damaged stretches are counted by the entry that follows them", async () => {
    const { session, story, lines, write, another, all, remove } = await writtenSession({
      prompts: [...PROMPTS, "five", "six"],
    });
    const [one = "", two = "", , , five = "", ...rest] = lines();
    write([one, two, "garbage", "", "more \u2028 garbage", "and a third", five, ...rest]);
    const { outline, damage } = await another().open(session);
    expect(outline.gaps).toEqual([3, 4]);
    expect(damage.map(({ what, line }) => [what, line])).toEqual([
      ["line", 3],
      ["line", 5],
      ["line", 6],
    ]);
    expect(await all()).toEqual(story.entries.filter(({ seq }) => seq !== 3 && seq !== 4));
    await remove();
  });

  it("lines that are gone without a trace are missed", async () => {
    const { session, lines, write, another, remove } = await writtenSession({ prompts: PROMPTS });
    const kept = lines().filter((_, at) => at !== 1 && at !== 2);
    write(kept);
    const { outline, damage } = await another().open(session);
    expect(outline.gaps).toEqual([2, 3]);
    expect(damage).toEqual([
      {
        what: "missing",
        file: "log.jsonl",
        line: 2,
        bytes: 0,
        why: "Number of lines missing before this one: 2.",
        reason: "damage-lines-missing",
        params: { lines: 2 },
      },
    ]);
    await remove();
  });

  it("a duplicate line counts once", async () => {
    const { session, story, lines, write, another, all, remove } = await writtenSession({ prompts: PROMPTS });
    const [one = "", two = "", ...rest] = lines();
    write([one, two, two, ...rest]);
    expect((await another().open(session)).damage).toMatchObject([{ what: "repeated", line: 3 }]);
    expect(await all()).toEqual(story.entries);
    await remove();
  });

  it("two neighbors that changed places are read in order, also by a rewrite", async () => {
    const { session, story, lines, write, another, all, remove } = await writtenSession({ prompts: PROMPTS });
    const [one = "", two = "", three = "", four = "", five = ""] = lines();
    for (const swapped of [
      [one, two, four, three, five],
      [two, one, three, four, five],
      [one, two, three, five, four],
    ]) {
      write(swapped);
      const { outline, damage } = await another().open(session);
      expect([outline.gaps, outline.oddities, damage]).toEqual([[], [], []]);
      expect(await all()).toEqual(story.entries);
    }
    await another().rewrite(session, (entry) => entry);
    expect(lines()).toEqual([one, two, three, four, five]);
    await remove();
  });

  it("neighbors that changed places at the end of the log do not mislead its index", async () => {
    const { session, story, lines, write, another, all } = await writtenSession({ prompts: PROMPTS });
    const [one = "", two = "", three = "", four = "", five = ""] = lines();
    write([one, two, three, five, four]);
    for (const text of ["five", "six"]) {
      const writer = another();
      await writer.recover(session);
      const next = story.prompt(text);
      await writer.append(session, next.seq, [next]);
      await writer.close();
      expect((await another().open(session)).damage).toEqual([]);
      expect(await all()).toEqual(story.entries);
    }
  });

  it("a line far after its place is not reported as already there", async () => {
    const { session, story, lines, write, another, all } = await writtenSession({ prompts: PROMPTS });
    const [one = "", two = "", ...rest] = lines();
    write([one, ...rest, two]);
    const { outline, damage } = await another().open(session);
    expect(outline.gaps).toEqual([2]);
    expect(damage).toMatchObject([
      { what: "missing", line: 2 },
      {
        what: "line",
        line: 5,
        why: "The line is out of order, so it is not read. It is still in the file.",
      },
    ]);
    expect(await all()).toEqual(story.entries.filter(({ seq }) => seq !== 2));
  });

  it("a mark before the first line and returns after all of them change nothing", async () => {
    const { session, story, log, folder, another, all } = await writtenSession({ prompts: PROMPTS });
    for (const path of [log, join(folder, "session.json")])
      writeFileSync(path, `\ufeff${readFileSync(path, "utf8").replaceAll("\n", "\r\n")}`);
    expect(await another().verify(session)).toEqual([]);
    for (const text of ["five", "six"]) {
      const writer = another();
      const next = story.prompt(text);
      await writer.append(session, next.seq, [next]);
      await writer.close();
      expect((await another().open(session)).damage).toEqual([]);
      expect(await all()).toEqual(story.entries);
    }
  });

  it("a line that claims to be number nine quadrillion is not believed", async () => {
    const { session, story, another, remove, lines, write } = await writtenSession({ prompts: PROMPTS });
    const sealed = lines();
    const { encodeEntry } = await import("../../../src/record/codec.ts");
    const { crc32 } = await import("node:zlib");
    const absurd = Buffer.from(
      encodeEntry({ ...story.last, seq: toSeq(Number.MAX_SAFE_INTEGER) }, crc32),
    ).toString();
    write([...sealed, absurd.trimEnd()]);
    const { outline, damage } = await another().open(session);
    expect(outline.nextSeq).toBe(7);
    expect(damage).toMatchObject([{ what: "line", line: 6 }]);
    await remove();
  });
});

describe("a session whose files are lost", () => {
  it("reads its damaged first line from the copy in session.json", async () => {
    const { session, story, lines, write, another, all, remove } = await writtenSession({ prompts: PROMPTS });
    write(["garbage", ...lines().slice(1)]);
    const { outline, damage } = await another().open(session);
    expect(damage).toMatchObject([{ what: "header", file: "log.jsonl", line: 1, bytes: 7 }]);
    expect(outline.gaps).toEqual([]);
    expect(await all()).toEqual(story.entries);
    await remove();
  });

  it("continues after a damaged first line, again and again", async () => {
    const { session, story, lines, write, another, all, remove } = await writtenSession({ prompts: PROMPTS });
    write(["garbage", ...lines().slice(1)]);
    for (const text of ["five", "six", "seven"]) {
      const writer = another();
      await writer.recover(session);
      const next = story.prompt(text);
      await writer.append(session, next.seq, [next]);
      await writer.close();
    }
    expect(await all()).toEqual(story.entries);
    await remove();
  });

  it("opens without its first line when the copy is damaged too", async () => {
    const { session, story, lines, write, folder, another, all, remove } = await writtenSession({
      prompts: PROMPTS,
    });
    write(["garbage", ...lines().slice(1)]);
    writeFileSync(join(folder, "session.json"), "{}");
    const { outline, damage } = await another().open(session);
    expect(outline.gaps).toEqual([1]);
    expect(damage).toMatchObject([{ what: "line", line: 1 }]);
    expect(await all()).toEqual(story.entries.slice(1));
    await remove();
  });

  it("is listed, and opens with what its copy says, when its log is gone", async () => {
    const { session, story, log, another, all, remove } = await writtenSession({ prompts: PROMPTS });
    rmSync(log);
    expect(await another().list()).toEqual([session]);
    const { outline, damage } = await another().open(session);
    expect(outline.length).toBe(1);
    expect(damage).toMatchObject([{ what: "file", file: "log.jsonl" }]);
    expect(await all()).toEqual(story.entries.slice(0, 1));
    await remove();
  });

  it.each([
    ["that was opened anew", "anew"],
    ["that stayed open", "open"],
  ])("is not written to by a store %s, which says that the file is gone and what to do", async (_, which) => {
    const { session, story, store, log, another } = await writtenSession({ prompts: PROMPTS });
    rmSync(log);
    const next = story.prompt("five");
    const writer = which === "open" ? store : another();
    const seq = which === "open" ? next.seq : toSeq(2);
    await expect(writer.append(session, seq, [{ ...next, seq }])).rejects.toMatchObject({
      code: "STORE_UNWRITABLE",
      message: expect.stringContaining("its file log.jsonl no longer exists"),
      hint: expect.stringContaining(`worldline sessions delete ${session}`),
    });
    expect(existsSync(log)).toBe(false);
  });

  it("says so when its log was emptied, and gives no number again that its index knows", async () => {
    const { session, story, store, log, another, all } = await writtenSession({ prompts: PROMPTS });
    await store.close();
    writeFileSync(log, "");
    const lost = {
      what: "missing",
      why: "Number of lines listed here in the index but missing from the log: 4.",
    };
    const idle = another();
    await idle.recover(session);
    await idle.close();
    const { outline, damage } = await another().open(session);
    expect(damage).toMatchObject([{ what: "header" }, lost]);
    expect([outline.nextSeq, outline.highestNumber]).toEqual([6, 4]);
    expect(await another().verify(session)).toMatchObject([{ what: "header" }, lost]);
    const writer = another();
    const next = story.prompt("five");
    await writer.append(session, next.seq, [next]);
    await writer.close();
    expect(await all()).toEqual([story.entries[0], next]);
    expect((await another().open(session)).outline.nextSeq).toBe(7);
  });

  it("says so when its log was emptied and nothing tells what it held", async () => {
    const { session, log, another } = await writtenSession({ prompts: PROMPTS });
    writeFileSync(log, "");
    expect((await another().open(session)).damage).toMatchObject([
      { what: "header" },
      { what: "missing", why: "The log has no readable entries." },
    ]);
  });

  it("misses the lines that were cut from its end, and continues after them", async () => {
    const { session, story, store, lines, write, another, all } = await writtenSession({ prompts: PROMPTS });
    await store.close();
    write(lines().slice(0, 3));
    for (const text of ["five", "six"]) {
      const writer = another();
      await writer.recover(session);
      const { outline, damage } = await writer.open(session);
      expect(outline.gaps).toEqual([4, 5]);
      expect(damage).toMatchObject([{ what: "missing", line: 4 }]);
      const next = story.prompt(text);
      await writer.append(session, next.seq, [next]);
      await writer.close();
    }
    expect(await all()).toEqual(story.entries.filter(({ seq }) => seq !== 4 && seq !== 5));
  });

  it("is listed, and opens empty with its damage named, when nothing of it can be read", async () => {
    const { session, log, folder, another, remove } = await writtenSession({ prompts: PROMPTS });
    rmSync(join(folder, "session.json"));
    writeFileSync(log, Buffer.alloc(5000));
    expect(await another().list()).toEqual([session]);
    const { outline, damage } = await another().open(session);
    expect(outline.head).toBeUndefined();
    expect(damage).toMatchObject([{ what: "torn-tail", bytes: 5000 }]);
    await remove();
  });

  it("does not keep the others from being listed and opened", async () => {
    const { session, log, another, remove } = await writtenSession({ prompts: PROMPTS });
    const { Story, sessionNumber } = await import("../../../src/testing/testing.ts");
    const other = new Story(sessionNumber(2));
    await another().create(other.begin());
    writeFileSync(log, "garbage");
    expect(await another().list()).toEqual([session, other.session]);
    expect((await another().open(other.session)).outline.length).toBe(1);
    await remove();
  });
});
