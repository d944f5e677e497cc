import assert from "node:assert/strict";
import type { Entry } from "../../record/entry.ts";
import { toSeq } from "../../record/ids.ts";
import { type Json, textPart } from "../../record/parts.ts";
import { Story, sessionNumber } from "../story.ts";
import { type ContractGroup, damage, rejectsWith } from "./subject.ts";

const forgetSecret = (entry: Entry): Entry =>
  entry.kind === "prompt"
    ? { ...entry, parts: [textPart("[forgotten]")], forgotten: { at: entry.at, times: 1 } }
    : entry;

export const rewriting: ContractGroup = {
  title: "rewriting, which only forget uses",
  cases: [
    {
      title: "replaces each entry on its own line, and continues after the last line",
      run: async ({ store, another }) => {
        const story = new Story();
        await store.create(story.begin());
        await store.append(story.session, toSeq(2), [story.prompt("the secret"), story.reply("ok")]);
        await store.rewrite(story.session, forgetSecret);
        const expected = story.entries.map(forgetSecret);
        assert.deepEqual(await another().read(story.session, toSeq(1), toSeq(3)), expected);
        await store.append(story.session, toSeq(4), [story.title("goes on")]);
        const { outline, damage: found } = await another().open(story.session);
        assert.deepEqual([outline.length, found], [4, []]);
      },
    },
    {
      title: "drops the blobs that are no longer referenced, and keeps the others",
      run: async ({ store }) => {
        const story = new Story();
        await store.create(story.begin());
        const kept = await store.putBlob(story.session, Buffer.from("kept"));
        const dropped = await store.putBlob(story.session, Buffer.from("dropped"));
        const spilled = (hash: string): Json => ({ $blob: hash, length: 4, start: "" });
        await store.append(story.session, toSeq(2), [
          story.call({ text: spilled(kept) }),
          story.call(spilled(dropped)),
        ]);
        await store.rewrite(story.session, (entry) => {
          if (entry.seq !== 3 || entry.kind !== "reply") return entry;
          return { ...entry, parts: [textPart("[forgotten]")] };
        });
        assert.deepEqual(await store.listBlobs(story.session), [kept]);
        assert.deepEqual(await store.verify(story.session), []);
      },
    },
    {
      title: "refuses a replacement that would change a line or an id, and changes nothing",
      run: async ({ store, another }) => {
        const story = new Story();
        await store.create(story.begin());
        await store.append(story.session, toSeq(2), [story.prompt("a"), story.prompt("b")]);
        const stray = story.entries[0]?.id;
        const rewrite = store.rewrite(story.session, (entry) =>
          entry.seq === 3 && stray !== undefined ? { ...entry, id: stray } : entry,
        );
        await rejectsWith("ENTRY_INVALID", rewrite);
        const misshapen = store.rewrite(story.session, (entry) =>
          entry.seq === 3 ? ({ ...entry, parts: "not a list" } as unknown as Entry) : entry,
        );
        await rejectsWith("ENTRY_INVALID", misshapen);
        assert.deepEqual(await another().read(story.session, toSeq(1), toSeq(3)), story.entries);
      },
    },
    {
      title: "is not needed to remove scraps if nothing was damaged",
      run: async ({ store, another }) => {
        const story = new Story();
        await store.create(story.begin());
        await store.append(story.session, toSeq(2), [story.prompt("a")]);
        assert.deepEqual(await store.scraps(story.session), []);
        assert.deepEqual(await another().scraps(story.session), []);
        await rejectsWith("SESSION_UNKNOWN", store.scraps(sessionNumber(7)));
      },
    },
    {
      title: "drops the bytes of a damaged line, which are listed as a scrap until then",
      needs: "damageLine",
      run: async (subject) => {
        const story = new Story();
        await subject.store.create(story.begin());
        const long = `the secret is first, then comes ${"nothing ".repeat(100)}`;
        await subject.store.append(story.session, toSeq(2), [story.prompt(long), story.prompt("b")]);
        await subject.store.close();
        await damage(subject, story.session, toSeq(2));
        const store = subject.another();
        const texts = async () =>
          (await store.scraps(story.session)).map(({ bytes }) => Buffer.from(bytes).toString());
        assert.match((await texts()).join("\n"), /the secret is first/u);
        await store.rewrite(story.session, (entry) => entry);
        assert.doesNotMatch((await texts()).join("\n"), /secret/u);
      },
    },
    {
      title: "keeps the gap of a damaged line, whose bytes might contain what must be forgotten",
      needs: "damageLine",
      run: async (subject) => {
        const story = new Story();
        await subject.store.create(story.begin());
        await subject.store.append(story.session, toSeq(2), [
          story.prompt("a"),
          story.prompt("b"),
          story.prompt("c"),
        ]);
        await subject.store.close();
        await damage(subject, story.session, toSeq(3));
        const store = subject.another();
        await store.rewrite(story.session, (entry) => entry);
        assert.deepEqual((await store.open(story.session)).outline.gaps, [3]);
      },
    },
    {
      title: "is followed by scrubbing, which keeps all entries and also works in an empty store",
      run: async ({ store, another }) => {
        assert.equal(await store.scrub(), undefined);
        assert.deepEqual(await store.list(), []);
        const story = new Story();
        await store.create(story.begin());
        const entries = [story.prompt("the secret"), story.reply("ok")];
        await store.append(story.session, toSeq(2), entries);
        await store.rewrite(story.session, forgetSecret);
        assert.equal(await store.scrub(), undefined);
        assert.equal(await another().scrub(), undefined);
        const expected = story.entries.map(forgetSecret);
        assert.deepEqual(await another().read(story.session, toSeq(1), toSeq(3)), expected);
        await store.append(story.session, toSeq(4), [story.title("goes on")]);
        assert.deepEqual(await another().verify(story.session), []);
      },
    },
  ],
};

export const damaged: ContractGroup = {
  title: "damaged lines",
  cases: [
    {
      title: "a damaged line in the middle loses only that line, and is reported with its number",
      needs: "damageLine",
      run: async (subject) => {
        const story = new Story();
        await subject.store.create(story.begin());
        const texts = ["a", "b", "c", "d", "e"].map((text) => story.prompt(text));
        await subject.store.append(story.session, toSeq(2), texts);
        await subject.store.close();
        await damage(subject, story.session, toSeq(4));
        const store = subject.another();
        const readable = story.entries.filter((entry) => entry.seq !== 4);
        assert.deepEqual(await store.read(story.session, toSeq(1), toSeq(6)), readable);
        const opened = await store.open(story.session);
        assert.deepEqual(opened.outline.gaps, [4]);
        assert.equal(opened.outline.length, 6);
        assert.deepEqual(
          opened.damage.map(({ what, line }) => ({ what, line })),
          [{ what: "line", line: 4 }],
        );
        await store.append(story.session, toSeq(7), [story.prompt("goes on")]);
        assert.deepEqual((await subject.another().open(story.session)).outline.gaps, [4]);
      },
    },
    {
      title: "a line that is damaged while the session is open is skipped when the session is read",
      needs: "damageLine",
      run: async (subject) => {
        const story = new Story();
        await subject.store.create(story.begin());
        await subject.store.append(story.session, toSeq(2), [
          story.prompt("a"),
          story.prompt("b"),
          story.prompt("c"),
        ]);
        await subject.store.open(story.session);
        await damage(subject, story.session, toSeq(3));
        const readable = story.entries.filter((entry) => entry.seq !== 3);
        assert.deepEqual(await subject.store.read(story.session, toSeq(1), toSeq(4)), readable);
        assert.equal((await subject.store.verify(story.session)).length, 1);
      },
    },
    {
      title: "a damaged last line keeps its number, which is never used again",
      needs: "damageLine",
      run: async (subject) => {
        const story = new Story();
        await subject.store.create(story.begin());
        await subject.store.append(story.session, toSeq(2), [story.prompt("a"), story.checkpoint()]);
        await subject.store.close();
        await damage(subject, story.session, toSeq(3));
        const store = subject.another();
        await store.read(story.session, toSeq(1), toSeq(3));
        const { outline } = await store.open(story.session);
        assert.equal(outline.nextSeq, 4);
        assert.equal(outline.head?.seq, 2);
        assert.ok(outline.highestNumber >= 1);
        await store.append(story.session, toSeq(4), [story.prompt("goes on")]);
        assert.deepEqual((await subject.another().open(story.session)).outline.gaps, [3]);
      },
    },
  ],
};
