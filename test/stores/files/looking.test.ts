import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { toSeq } from "../../../src/record/ids.ts";
import { Story, sessionNumber } from "../../../src/testing/testing.ts";
import { damageLine, folderOf, logOf } from "./damage.ts";
import { filesSubject } from "./files-subject.ts";

/** Two sessions, each in its own workspace. */
async function scene() {
  const subject = filesSubject();
  onTestFinished(subject.remove);
  const [first, second] = [new Story(sessionNumber(1)), new Story(sessionNumber(2))];
  await subject.store.create(first.begin("/first"));
  await subject.store.create(second.begin("/second"));
  return { ...subject, first, session: first.session, other: second.session };
}

describe("the list of the files store", () => {
  it("knows a session by the copy of its first line, when that line is damaged", async () => {
    const { root, store, session, other } = await scene();
    damageLine(root, session, toSeq(1));
    expect(await store.list({ workspace: "/first" })).toEqual([session]);
    expect(await store.list({ workspace: "/second" })).toEqual([other]);
  });

  it("lets a session through every filter when nothing says what it is", async () => {
    const { root, store, session, other } = await scene();
    damageLine(root, session, toSeq(1));
    rmSync(join(folderOf(root, session), "session.json"));
    expect(await store.list({ workspace: "/second" })).toEqual([session, other]);
    expect(await store.list({ workspace: "/nowhere", mode: "execution" })).toEqual([session]);
    expect(await store.list({ workspace: "/nowhere", after: session })).toEqual([]);
  });

  it("does not fail on account of one session whose log cannot be read", async () => {
    const { root, store, session, other } = await scene();
    rmSync(logOf(root, session));
    rmSync(join(folderOf(root, session), "session.json"));
    mkdirSync(logOf(root, session));
    expect(await store.list({ workspace: "/second" })).toEqual([session, other]);
  });
});

describe("what the files store says of a session", () => {
  it("is the size of every file, by its name within the folder", async () => {
    const { store, root, session } = await scene();
    const hash = await store.putBlob(session, Buffer.from("x".repeat(100)));
    await store.publish(session, []);
    mkdirSync(join(folderOf(root, session), "outputs"));
    writeFileSync(join(folderOf(root, session), "outputs", "1.txt"), "long");
    const pieces = await store.sizes(session);
    expect(pieces.map(({ name }) => name)).toEqual([
      expect.stringMatching(new RegExp(`^blobs/.*${hash.slice(4)}`, "u")),
      "checkpoints/metadata.json",
      "log.jsonl",
      "outputs/1.txt",
      "session.json",
    ]);
    expect(pieces.at(3)).toEqual({ name: "outputs/1.txt", bytes: 4 });
  });

  it("is that an unknown program holds it, if its lock cannot be read", async () => {
    const { store, root, session } = await scene();
    writeFileSync(join(folderOf(root, session), "lock"), "not an owner");
    expect(await store.holder(session)).toEqual({ life: "elsewhere" });
  });

  it("is a stamp also where the log is gone", async () => {
    const { store, root, session } = await scene();
    const before = await store.stamp(session);
    rmSync(logOf(root, session));
    expect(await store.stamp(session)).not.toBe(before);
  });

  it("is its root, as the place where everything is", async () => {
    const { store, root } = await scene();
    expect(store.place).toEqual({ kind: "files", name: root, reach: "machine" });
  });
});
