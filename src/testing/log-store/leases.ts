import assert from "node:assert/strict";
import type { Owner } from "../../ports/lease.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { toSeq } from "../../record/ids.ts";
import { Story } from "../story.ts";
import { type ContractGroup, rejectsWith } from "./subject.ts";

async function made(store: LogStore): Promise<Story> {
  const story = new Story();
  await store.create(story.begin());
  return story;
}

export const leases: ContractGroup = {
  title: "leases",
  cases: [
    {
      title: "refuses a second holder immediately, with the owner's name, even in the same process",
      run: async ({ store, another }) => {
        const { session } = await made(store);
        const lease = await store.lease(session, { name: "the first", waitMs: 0 });
        for (const each of [store, another()]) {
          const error = await rejectsWith(
            "SESSION_HELD",
            each.lease(session, { name: "the second", waitMs: 0 }),
          );
          assert.match(error.message, /the first/);
          assert.ok(error.hint !== undefined);
        }
        await lease.release();
        await (await another().lease(session, { name: "the second", waitMs: 0 })).release();
      },
    },
    {
      title: "waits up to the limit, names the owner once, and then refuses",
      run: async ({ store, another }) => {
        const { session } = await made(store);
        await store.lease(session, { name: "the first", waitMs: 0 });
        const owners: Owner[] = [];
        const request = { name: "the second", waitMs: 400, onWait: (owner: Owner) => owners.push(owner) };
        await rejectsWith("SESSION_HELD", another().lease(session, request));
        assert.deepEqual(
          owners.map((owner) => owner.name),
          ["the first"],
        );
      },
    },
    {
      title: "gets a lease that is released while it waits",
      run: async ({ store, another }) => {
        const { session } = await made(store);
        const first = await store.lease(session, { name: "the first", waitMs: 0 });
        let release: Promise<void> | undefined;
        const onWait = () => {
          release = first.release();
        };
        const second = await another().lease(session, { name: "the second", waitMs: 60_000, onWait });
        await release;
        assert.equal(second.owner.name, "the second");
        assert.equal(second.takenFrom, undefined);
      },
    },
    {
      title: "gives each holder a unique token",
      run: async ({ store }) => {
        const { session } = await made(store);
        const tokens = new Set<string>();
        for (let count = 0; count < 20; count += 1) {
          const lease = await store.lease(session, { name: "again", waitMs: 0 });
          tokens.add(lease.owner.token);
          await lease.release();
        }
        assert.equal(tokens.size, 20);
      },
    },
    {
      title: "does not take the next holder's lease if the first one is released twice",
      run: async ({ store, another }) => {
        const { session } = await made(store);
        const first = await store.lease(session, { name: "the first", waitMs: 0 });
        await first.release();
        const second = await another().lease(session, { name: "the second", waitMs: 0 });
        await first.release();
        await rejectsWith("SESSION_HELD", store.lease(session, { name: "the third", waitMs: 0 }));
        await second.release();
      },
    },
    {
      title: "holds each session separately, and does not prevent reading",
      run: async ({ store, another }) => {
        const one = await made(store);
        const two = new Story("t000000002" as Story["session"]);
        await store.create(two.begin());
        await store.lease(one.session, { name: "one", waitMs: 0 });
        await another().lease(two.session, { name: "two", waitMs: 0 });
        assert.equal((await another().read(one.session, toSeq(1), toSeq(1))).length, 1);
        assert.equal((await another().open(one.session)).outline.length, 1);
      },
    },
    {
      title: "gives 20 waiting writers the lease one after another, and loses nothing",
      run: async ({ store, another }) => {
        const story = await made(store);
        let holders = 0;
        const work = async (writer: LogStore, name: string) => {
          const lease = await writer.lease(story.session, { name, waitMs: 3_600_000 });
          holders += 1;
          assert.equal(holders, 1);
          await writer.recover(story.session);
          const { outline } = await writer.open(story.session);
          await writer.append(story.session, outline.nextSeq, [story.prompt(name)]);
          holders -= 1;
          await lease.release();
        };
        await Promise.all(Array.from({ length: 20 }, (_, at) => work(another(), `writer ${at}`)));
        assert.deepEqual(await another().read(story.session, toSeq(1), toSeq(99)), story.entries);
      },
    },
  ],
};
