import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { realDisk } from "../../../src/disk/disk.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import type { Entry } from "../../../src/record/entry.ts";
import { type BlobHash, toSeq } from "../../../src/record/ids.ts";
import { textPart } from "../../../src/record/parts.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { inTempFolder, ManualClock, rejectsWith, Story, systemError } from "../../../src/testing/testing.ts";
import { writtenSession } from "./written-session.ts";

/** Every file below a folder, with its bytes. */
function filesUnder(folder: string): { path: string; bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true, encoding: "utf8" })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .map((path) => ({ path, bytes: readFileSync(path) }));
}

describe("the folder of sessions", () => {
  it("is for its owner's eyes only", async () => {
    const it = await writtenSession({ prompts: ["one"] });
    await it.store.putBlob(it.session, Buffer.from("x"));
    await it.store.lease(it.session, { name: "test", waitMs: 0 });
    await it.store.publish(it.session, []);
    await it.store.close();
    for (const each of readdirSync(it.root, { recursive: true, withFileTypes: true, encoding: "utf8" })) {
      const mode = statSync(join(each.parentPath, each.name)).mode & 0o777;
      expect(mode.toString(8), each.name).toBe(each.isDirectory() ? "700" : "600");
    }
    await it.remove();
  });

  it("may hold foreign files, which are not sessions", async () => {
    const it = await writtenSession({ prompts: ["one"] });
    const sessions = join(it.root, "sessions");
    writeFileSync(join(sessions, ".DS_Store"), "");
    writeFileSync(join(sessions, "notes.txt"), "");
    writeFileSync(join(sessions, "s00000000x"), "a file with a session's name");
    mkdirSync(join(sessions, "backup of sessions"));
    mkdirSync(join(sessions, `.new-${it.session}-0123`));
    expect(await it.store.list()).toEqual([it.session]);
    await it.remove();
  });

  it("is not made by asking what is in it", async () => {
    await inTempFolder(async (folder) => {
      const store = openFilesStore({ root: join(folder, "home"), clock: new ManualClock() });
      expect([await store.list(), await store.listTrash(), await store.emptyTrash(1)]).toEqual([[], [], []]);
      expect(readdirSync(folder)).toEqual([]);
    });
  });

  it.each<[string, { root: string; errno: string; put: (folder: string) => void }]>([
    [
      "the home is a file",
      { root: "home", errno: "ENOTDIR", put: (at) => writeFileSync(join(at, "home"), "") },
    ],
    [
      "the home is in a file",
      { root: "a/b", errno: "ENOTDIR", put: (at) => writeFileSync(join(at, "a"), "") },
    ],
    ["it is a file", { root: "", errno: "ENOTDIR", put: (at) => writeFileSync(join(at, "sessions"), "") }],
    [
      "it leads to itself",
      { root: "", errno: "ELOOP", put: (at) => symlinkSync("sessions", join(at, "sessions")) },
    ],
  ])("is not taken for an empty one when %s", async (_what, { root, errno, put }) => {
    await inTempFolder(async (folder) => {
      put(folder);
      const store = openFilesStore({ root: join(folder, root), clock: new ManualClock() });
      const error = await rejectsWith("STORE_UNREADABLE", store.list());
      expect(error.message).toContain(`could not be read (${errno})`);
      expect(error.hint).toContain("WORLDLINE_HOME");
    });
  });

  it("holds a trash that is not taken for an empty one when it is a file", async () => {
    await inTempFolder(async (folder) => {
      writeFileSync(join(folder, "trash"), "");
      const store = openFilesStore({ root: folder, clock: new ManualClock() });
      await rejectsWith("STORE_UNREADABLE", store.listTrash());
      await rejectsWith("STORE_UNWRITABLE", store.emptyTrash(1));
    });
  });

  it("is not taken for an empty one when it may not be read", async () => {
    const list = () => {
      throw systemError("EACCES", "sessions");
    };
    const store = openFilesStore({ root: "/", clock: new ManualClock(), disk: { ...realDisk, list } });
    const error = await rejectsWith("STORE_UNREADABLE", store.list());
    expect(error.hint).toContain("permissions");
  });

  it("is swept of what a crash left of sessions in the making, when the trash is emptied", async () => {
    const it = await writtenSession({ prompts: ["one"] });
    const half = join(it.root, "sessions", `.new-${it.session}-0123`);
    const young = join(it.root, "sessions", `.new-${it.session}-4567`);
    for (const each of [half, young]) mkdirSync(each);
    writeFileSync(join(half, "log.jsonl"), "half");
    utimesSync(half, new Date(1000), new Date(1000));
    await it.store.emptyTrash(Date.now() - 60_000);
    expect(readdirSync(join(it.root, "sessions")).sort()).toEqual([`.new-${it.session}-4567`, it.session]);
    await it.remove();
  });

  it("keeps what another process is making right now, whatever the trash is emptied of", async () => {
    const it = await writtenSession({ prompts: ["one"] });
    const store = openFilesStore({ root: it.root, clock: systemClock });
    const age = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    for (const minutes of [0, 50, 70]) {
      const folder = join(it.root, "sessions", `.new-${it.session}-${minutes}`);
      mkdirSync(folder);
      utimesSync(folder, age(minutes), age(minutes));
    }
    await store.emptyTrash(Date.now() + 60_000);
    const left = readdirSync(join(it.root, "sessions")).filter((name) => name.startsWith(".new-"));
    expect(left.sort()).toEqual([`.new-${it.session}-0`, `.new-${it.session}-50`]);
    await it.remove();
  });

  it("that cannot be written says so, and what to do", async () => {
    await inTempFolder(async (folder) => {
      const file = join(folder, "file");
      writeFileSync(file, "");
      const store = openFilesStore({ root: join(file, "home"), clock: new ManualClock() });
      const error = await rejectsWith("STORE_UNWRITABLE", store.create(new Story().begin()));
      expect(error.hint).toBeDefined();
      expect(error.cause).toBeDefined();
    });
  });
});

describe("blobs in files", () => {
  it.each([
    ["cut off", "a blo"],
    ["changed in place", "a blub"],
  ])("that were %s are refused, named by verify, and healed when they are put again", async (_how, left) => {
    const it = await writtenSession({ prompts: ["one"] });
    const hash = await it.store.putBlob(it.session, Buffer.from("a blob"));
    const path = join(it.folder, "blobs", hash.slice(0, 2), hash);
    writeFileSync(path, left);
    await rejectsWith("BLOB_DAMAGED", it.store.getBlob(it.session, hash));
    expect(await it.store.verify(it.session)).toMatchObject([
      { what: "blob", file: `blobs/${hash.slice(0, 2)}/${hash}` },
    ]);
    await it.store.putBlob(it.session, Buffer.from("a blob"));
    expect(Buffer.from(await it.store.getBlob(it.session, hash)).toString()).toBe("a blob");
    await it.remove();
  });

  it("that an entry points to and that are missing are named by verify", async () => {
    const it = await writtenSession({ prompts: ["one"] });
    const hash = "ab".repeat(32) as BlobHash;
    const call = it.story.call({ text: { $blob: hash, length: 1, start: "" } });
    await it.store.append(it.session, call.seq, [call]);
    expect(await it.store.verify(it.session)).toMatchObject([{ what: "blob", why: "The blob is missing." }]);
    await it.remove();
  });
});

describe("what is published", () => {
  it("is one JSON file for people and scripts, replaced as a whole", async () => {
    const it = await writtenSession({ prompts: ["one"] });
    const checkpoint = {
      id: "1",
      timestamp: "2026-01-01T00:00:00.000Z",
      description: "one",
      sessionId: it.session,
    };
    await it.store.publish(it.session, [checkpoint, checkpoint]);
    await it.store.publish(it.session, [checkpoint]);
    const path = join(it.folder, "checkpoints", "metadata.json");
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ checkpoints: [checkpoint] });
    expect(readdirSync(join(it.folder, "checkpoints"))).toEqual(["metadata.json"]);
    await it.remove();
  });
});

describe("forgetting", () => {
  it("leaves the text in no file of the session", async () => {
    const it = await writtenSession({ prompts: ["the password is hunter2"], rotateBytes: 1 });
    const { store, session, story } = it;
    await store.rotate(session, story.rotated(2));
    const blob = await store.putBlob(session, Buffer.from("hunter2 ".repeat(1000)));
    await store.append(session, toSeq(4), [
      story.call({ text: { $blob: blob, length: 8000, start: "hunter2 hunter2" } }),
    ]);
    await store.publish(session, [{ id: "1", timestamp: "", description: "hunter2", sessionId: session }]);
    for (const torn of ['{"torn":"hunter2', '{"torn again":"hunter2']) {
      it.add(torn);
      await store.recover(session);
    }
    it.add('damaged "hunter2"\n{"torn":"hunter2');
    await store.close();

    const forget = (entry: Entry): Entry => {
      if (entry.kind === "prompt") return { ...entry, parts: [textPart("[forgotten]")] };
      return entry.kind === "reply" ? { ...entry, parts: [textPart("[forgotten]")] } : entry;
    };
    await store.rewrite(session, forget);
    const holding = filesUnder(it.root).filter(({ bytes }) => bytes.includes("hunter2"));
    expect(holding.map(({ path }) => path)).toEqual([]);
    expect(await it.all()).toEqual(story.entries.map(forget));
    expect((await it.another().open(session)).outline.nextSeq).toBe(6);
    await it.remove();
  });
});
