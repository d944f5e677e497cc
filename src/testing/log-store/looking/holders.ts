import assert from "node:assert/strict";
import type { LogStore } from "../../../ports/log-store.ts";
import type { SessionId } from "../../../record/ids.ts";
import { Story, sessionNumber } from "../../story.ts";
import type { ContractGroup } from "../subject.ts";

async function made(store: LogStore, number = 1): Promise<SessionId> {
  const story = new Story(sessionNumber(number));
  await store.create(story.begin());
  return story.session;
}

export const holders: ContractGroup = {
  title: "telling who holds a session",
  cases: [
    {
      title: "says nobody before, the owner while, and nobody after a lease, in every store",
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
      title: "is asked of each session by itself",
      run: async ({ store }) => {
        const [one, two] = [await made(store, 1), await made(store, 32)];
        const lease = await store.lease(two, { name: "of the second", waitMs: 0 });
        assert.equal(await store.holder(one), undefined);
        assert.equal((await store.holder(two))?.owner?.name, "of the second");
        await lease.release();
      },
    },
    {
      title: "only looks: whoever asks for the session afterwards gets it",
      run: async ({ store, another }) => {
        const session = await made(store);
        await another().holder(session);
        await (await store.lease(session, { name: "asks", waitMs: 0 })).release();
      },
    },
    {
      title: "names whoever came next, also when the first one releases a second time",
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
      title: "says nobody of a session that came back from the trash",
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
      title: "says the same of its place in every store on it, in words that are not empty",
      run: async ({ store, another }) => {
        assert.deepEqual(another().place, store.place);
        assert.ok(store.place.name.length > 0);
      },
    },
  ],
};
