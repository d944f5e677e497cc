import assert from "node:assert/strict";
import type { LogStore } from "../../ports/log-store.ts";
import { type SessionId, toSeq } from "../../record/ids.ts";
import { Story, sessionNumber } from "../story.ts";
import type { ContractGroup } from "./subject.ts";

async function made(store: LogStore, number = 1): Promise<SessionId> {
  const story = new Story(sessionNumber(number));
  await store.create(story.begin());
  return story.session;
}

export const holders: ContractGroup = {
  title: "asking who holds a session",
  cases: [
    {
      title: "returns the owner during a lease, and undefined before and after it, in every store",
      run: async ({ store, another }) => {
        const session = await made(store);
        const stores = [store, another()];
        for (const each of stores) assert.equal(await each.holder(session), undefined);
        const lease = await store.lease(session, { name: "the holder", waitMs: 0 });
        for (const each of stores)
          assert.deepEqual(await each.holder(session), { owner: lease.owner, life: "living" });
        await lease.release();
        for (const each of stores) assert.equal(await each.holder(session), undefined);
      },
    },
    {
      title: "gives a separate answer for each session",
      run: async ({ store }) => {
        const [one, two] = [await made(store, 1), await made(store, 32)];
        const lease = await store.lease(two, { name: "of the second", waitMs: 0 });
        assert.equal(await store.holder(one), undefined);
        assert.equal((await store.holder(two))?.owner?.name, "of the second");
        await lease.release();
      },
    },
    {
      title: "does not take the lease, so the next request for it succeeds",
      run: async ({ store, another }) => {
        const session = await made(store);
        await another().holder(session);
        await (await store.lease(session, { name: "asks", waitMs: 0 })).release();
      },
    },
    {
      title: "names the next owner, even if the first one releases its lease a second time",
      run: async ({ store, another }) => {
        const session = await made(store);
        const first = await store.lease(session, { name: "the first", waitMs: 0 });
        await first.release();
        const second = await another().lease(session, { name: "the second", waitMs: 0 });
        await first.release();
        assert.deepEqual(await store.holder(session), { owner: second.owner, life: "living" });
        await second.release();
      },
    },
    {
      title: "returns undefined for a session that was restored from the trash",
      run: async ({ store }) => {
        const session = await made(store);
        const lease = await store.lease(session, { name: "before", waitMs: 0 });
        await store.trash(session, 1000);
        await lease.release();
        await store.undelete(session);
        assert.equal(await store.holder(session), undefined);
      },
    },
    {
      title: "describes the place in the same way in every store, with a name that is not empty",
      run: async ({ store, another }) => {
        assert.deepEqual(another().place, store.place);
        assert.ok(store.place.name.length > 0);
      },
    },
  ],
};

const BYTES = 50_000;

async function totalOf(store: LogStore, session: SessionId): Promise<number> {
  return (await store.sizes(session)).reduce((sum, { bytes }) => sum + bytes, 0);
}

export const sizes: ContractGroup = {
  title: "sizes",
  cases: [
    {
      title: "grow with appended entries, which a store may compress, and with blobs",
      run: async ({ store, another }) => {
        const story = new Story();
        await store.create(story.begin());
        const before = await totalOf(store, story.session);
        assert.ok(before > 0);
        await store.append(story.session, toSeq(2), [story.prompt("x".repeat(BYTES))]);
        const appended = await totalOf(another(), story.session);
        assert.ok(appended > before, `${before}, then ${appended}`);
        await store.putBlob(story.session, Buffer.alloc(BYTES, "y"));
        const put = await totalOf(another(), story.session);
        assert.ok(put > appended, `${appended}, then ${put}`);
      },
    },
    {
      title: "are whole numbers of bytes, each with a unique name",
      run: async ({ store }) => {
        const story = new Story();
        await store.create(story.begin(), { entries: [], blobs: [Buffer.from("one"), Buffer.from("two")] });
        const pieces = await store.sizes(story.session);
        assert.equal(new Set(pieces.map(({ name }) => name)).size, pieces.length);
        assert.ok(pieces.every(({ name }) => name.length > 0));
        assert.ok(pieces.every(({ bytes }) => Number.isSafeInteger(bytes) && bytes >= 0));
      },
    },
    {
      title: "count each session separately, even one that has the same id as another in the trash",
      run: async ({ store }) => {
        const [one, two] = [new Story(sessionNumber(1)), new Story(sessionNumber(2))];
        await store.create(one.begin());
        await store.create(two.begin());
        const small = await totalOf(store, one.session);
        await store.putBlob(two.session, Buffer.alloc(BYTES));
        assert.equal(await totalOf(store, one.session), small);
        await store.putBlob(one.session, Buffer.alloc(BYTES));
        await store.trash(one.session, 1000);
        await store.create(new Story(sessionNumber(1)).begin());
        assert.equal(await totalOf(store, one.session), small);
      },
    },
  ],
};

async function begun(store: LogStore): Promise<Story> {
  const story = new Story();
  await store.create(story.begin());
  return story;
}

export const stamps: ContractGroup = {
  title: "stamps of a log",
  cases: [
    {
      title: "change with every append, rotation, and rewrite, and never repeat",
      run: async ({ store }) => {
        const story = await begun(store);
        const { session } = story;
        const seen = [await store.stamp(session)];
        for (let round = 0; round < 20; round += 1) {
          const entry = story.prompt("the same length each time");
          await store.append(session, entry.seq, [entry]);
          seen.push(await store.stamp(session));
        }
        await store.rotate(session, story.rotated((await store.rotationDue(session)) ?? 2));
        seen.push(await store.stamp(session));
        await store.append(session, toSeq(23), [story.prompt("behind it")]);
        seen.push(await store.stamp(session));
        await store.rewrite(session, (entry) => entry);
        seen.push(await store.stamp(session));
        assert.equal(new Set(seen).size, seen.length, seen.join("\n"));
      },
    },
    {
      title: "are the same in every store, whichever one wrote",
      run: async ({ store, another }) => {
        const story = await begun(store);
        const other = another();
        const before = await other.stamp(story.session);
        assert.equal(await store.stamp(story.session), before);
        await store.append(story.session, toSeq(2), [story.prompt("by the first")]);
        const after = await other.stamp(story.session);
        assert.notEqual(after, before);
        assert.equal(await store.stamp(story.session), after);
      },
    },
    {
      title: "do not change if the session is only read or leased, or if an append is refused",
      run: async ({ store, another }) => {
        const story = await begun(store);
        const { session } = story;
        await store.append(session, toSeq(2), [story.prompt("one"), story.reply("two")]);
        const before = await store.stamp(session);
        for (const each of [store, another()]) {
          await each.open(session);
          await each.read(session, toSeq(1), toSeq(9));
          await each.verify(session);
          await each.scraps(session);
          await each.sizes(session);
          await each.list({ workspace: "/projects/pool" });
          await each.append(session, toSeq(9), [story.prompt("not the next one")]).catch(() => undefined);
          const lease = await each.lease(session, { name: "looks", waitMs: 0 });
          await each.recover(session);
          await lease.release();
          assert.equal(await each.stamp(session), before);
        }
      },
    },
    {
      title: "distinguish two sessions that had the same id one after the other",
      run: async ({ store }) => {
        const { session } = await begun(store);
        const before = await store.stamp(session);
        await store.trash(session, 1000);
        await begun(store);
        assert.notEqual(await store.stamp(session), before);
      },
    },
  ],
};
