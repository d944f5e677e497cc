import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Entry } from "../../record/entry.ts";
import { type BlobHash, toSeq } from "../../record/ids.ts";
import { Story } from "../story.ts";
import { type ContractGroup, type LogStoreSubject, rejectsWith } from "./subject.ts";

/** Creates a session with `count` prompts after its first entry. */
async function begun(subject: LogStoreSubject, count = 0): Promise<Story> {
  const story = new Story();
  await subject.store.create(story.begin());
  const prompts = Array.from({ length: count }, (_, at) => story.prompt(`prompt ${at}`));
  await subject.store.append(story.session, toSeq(2), prompts);
  return story;
}

export const appending: ContractGroup = {
  title: "appending",
  cases: [
    {
      title: "reads back what was appended, unchanged and in order, even after a restart",
      run: async (subject) => {
        const story = await begun(subject);
        await subject.store.append(story.session, toSeq(2), [story.prompt("one"), story.reply("two")]);
        await subject.store.append(story.session, toSeq(4), [story.step(), story.checkpoint()]);
        for (const store of [subject.store, subject.another()]) {
          assert.deepEqual(await store.read(story.session, toSeq(1), toSeq(5)), story.entries);
          const { outline, damage } = await store.open(story.session);
          assert.deepEqual(damage, []);
          assert.equal(outline.nextSeq, 6);
          assert.equal(outline.head?.id, story.last.id);
          assert.equal(outline.highestNumber, 2);
        }
      },
    },
    {
      title: "reads any range, and nothing outside the log",
      run: async (subject) => {
        const story = await begun(subject, 20);
        const { store } = subject;
        assert.deepEqual(await store.read(story.session, toSeq(5), toSeq(7)), story.entries.slice(4, 7));
        assert.deepEqual(await store.read(story.session, toSeq(20), toSeq(99)), story.entries.slice(19));
        assert.deepEqual(await store.read(story.session, toSeq(22), toSeq(99)), []);
        assert.deepEqual(await store.read(story.session, toSeq(7), toSeq(5)), []);
      },
    },
    {
      title: "sees what another store has appended in the meantime",
      run: async (subject) => {
        const story = await begun(subject, 2);
        const other = subject.another();
        await other.open(story.session);
        await subject.store.append(story.session, toSeq(4), [story.prompt("later")]);
        assert.deepEqual(await other.read(story.session, toSeq(1), toSeq(4)), story.entries);
        assert.equal((await other.open(story.session)).outline.length, 4);
      },
    },
    {
      title: "refuses a line that is not the next one, and writes nothing",
      run: async (subject) => {
        const story = await begun(subject, 3);
        const { store } = subject;
        const before = await store.read(story.session, toSeq(1), toSeq(99));
        const stray = story.prompt("stray");
        for (const seq of [1, 3, 4, 6, 1000]) {
          const entry: Entry = { ...stray, seq: toSeq(seq) };
          await rejectsWith("SEQ_CONFLICT", store.append(story.session, toSeq(seq), [entry]));
        }
        assert.deepEqual(await store.read(story.session, toSeq(1), toSeq(99)), before);
        await store.append(story.session, toSeq(5), [stray]);
        assert.deepEqual(await store.read(story.session, toSeq(1), toSeq(99)), story.entries);
      },
    },
    {
      title: "lets one of two writers win each line, and refuses the other",
      run: async (subject) => {
        const story = await begun(subject);
        const writers = [subject.store, subject.another()];
        for (const writer of writers) await writer.open(story.session);
        for (let round = 0; round < 10; round += 1) {
          const entry = story.prompt(`round ${round}`);
          const tries = writers.map((writer) => writer.append(story.session, entry.seq, [entry]));
          const outcomes = await Promise.allSettled(tries);
          assert.equal(outcomes.filter((outcome) => outcome.status === "fulfilled").length, 1);
        }
        assert.deepEqual(await subject.another().read(story.session, toSeq(1), toSeq(99)), story.entries);
      },
    },
    {
      title: "refuses entries whose line numbers are out of order, and writes none of them",
      run: async (subject) => {
        const story = await begun(subject);
        const [second, third] = [story.prompt("second"), story.prompt("third")];
        await rejectsWith("ENTRY_INVALID", subject.store.append(story.session, toSeq(2), [third, second]));
        await rejectsWith("ENTRY_INVALID", subject.store.append(story.session, toSeq(2), [second, second]));
        assert.equal((await subject.store.open(story.session)).outline.length, 1);
        await subject.store.append(story.session, toSeq(2), [second, third]);
      },
    },
    {
      title: "refuses an entry that could not be read back, and writes nothing",
      run: async (subject) => {
        const story = await begun(subject);
        const good = story.prompt("good");
        for (const fields of [
          { parts: "not a list" },
          { kind: "nothing" },
          { at: 5 },
          { parent: undefined },
        ]) {
          const bad = { ...good, ...fields } as unknown as Entry;
          await rejectsWith("ENTRY_INVALID", subject.store.append(story.session, toSeq(2), [bad]));
        }
        await subject.store.append(story.session, toSeq(2), [good]);
        assert.deepEqual((await subject.store.open(story.session)).damage, []);
      },
    },
    {
      title: "does nothing if there are no entries",
      run: async (subject) => {
        const story = await begun(subject);
        await subject.store.append(story.session, toSeq(2), []);
        assert.equal((await subject.store.open(story.session)).outline.length, 1);
      },
    },
    {
      title: "keeps 500 entries from one append, and 200 appends that are not awaited",
      run: async (subject) => {
        const story = await begun(subject, 500);
        const entries = Array.from({ length: 200 }, (_, at) => story.prompt(`hurried ${at}`));
        await Promise.all(entries.map((entry) => subject.store.append(story.session, entry.seq, [entry])));
        assert.deepEqual(await subject.another().read(story.session, toSeq(1), toSeq(999)), story.entries);
      },
    },
    {
      title: "appends a rotation like any other entry",
      run: async (subject) => {
        const story = await begun(subject, 2);
        const { store } = subject;
        const file = (await store.rotationDue(story.session)) ?? 2;
        await rejectsWith(
          "SEQ_CONFLICT",
          store.rotate(story.session, { ...story.rotated(file), seq: toSeq(9) }),
        );
        story.untell();
        await store.rotate(story.session, story.rotated(file));
        await store.append(story.session, toSeq(5), [story.prompt("after")]);
        for (const each of [store, subject.another()]) {
          assert.deepEqual(await each.read(story.session, toSeq(1), toSeq(9)), story.entries);
          assert.deepEqual((await each.open(story.session)).damage, []);
        }
      },
    },
    {
      title: "rejects in a full store, loses nothing, and accepts the same call once there is room",
      needs: "fillUp",
      run: async (subject) => {
        const story = await begun(subject, 2);
        const { store, fillUp } = subject;
        if (typeof fillUp !== "function") return;
        const entries = [story.prompt("kept in memory"), story.reply("until there is room")];
        const makeRoom = fillUp();
        for (let tries = 0; tries < 3; tries += 1) {
          await rejectsWith("STORE_FULL", store.append(story.session, toSeq(4), entries));
          assert.equal((await subject.another().open(story.session)).outline.length, 3);
        }
        makeRoom();
        await store.append(story.session, toSeq(4), entries);
        assert.deepEqual(await subject.another().read(story.session, toSeq(1), toSeq(9)), story.entries);
        assert.deepEqual((await subject.another().open(story.session)).damage, []);
      },
    },
  ],
};

export const blobs: ContractGroup = {
  title: "blobs",
  cases: [
    {
      title: "keeps bytes under their sha256, even after a restart",
      run: async ({ store, another }) => {
        const story = new Story();
        await store.create(story.begin());
        const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 7) % 256));
        const hash = await store.putBlob(story.session, bytes);
        assert.equal(hash, createHash("sha256").update(bytes).digest("hex"));
        assert.deepEqual(Buffer.from(await another().getBlob(story.session, hash)), bytes);
        assert.deepEqual(await another().listBlobs(story.session), [hash]);
      },
    },
    {
      title: "keeps identical bytes only once, and accepts empty content",
      run: async ({ store }) => {
        const story = new Story();
        await store.create(story.begin());
        const hashes = [
          await store.putBlob(story.session, Buffer.from("x")),
          await store.putBlob(story.session, Buffer.from("x")),
        ];
        const empty = await store.putBlob(story.session, new Uint8Array());
        assert.equal(hashes[0], hashes[1]);
        assert.equal((await store.getBlob(story.session, empty)).length, 0);
        assert.deepEqual(await store.listBlobs(story.session), [hashes[0], empty].sort());
      },
    },
    {
      title: "is not affected by changes to the given or the returned bytes",
      run: async ({ store }) => {
        const story = new Story();
        await store.create(story.begin());
        const given = Buffer.from("unaltered");
        const hash = await store.putBlob(story.session, given);
        given.fill(0);
        (await store.getBlob(story.session, hash)).fill(0);
        assert.equal(Buffer.from(await store.getBlob(story.session, hash)).toString(), "unaltered");
      },
    },
    {
      title: "reports a missing blob, whatever the hash is",
      run: async ({ store }) => {
        const story = new Story();
        await store.create(story.begin());
        for (const hash of ["0".repeat(64), "../../../etc/passwd", ""] as BlobHash[]) {
          await rejectsWith("BLOB_MISSING", store.getBlob(story.session, hash));
        }
      },
    },
  ],
};
