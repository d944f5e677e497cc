import assert from "node:assert/strict";
import type { LogStore } from "../../../ports/log-store.ts";
import { toSeq } from "../../../record/ids.ts";
import { Story } from "../../story.ts";
import type { ContractGroup } from "../subject.ts";

async function begun(store: LogStore): Promise<Story> {
  const story = new Story();
  await store.create(story.begin());
  return story;
}

export const stamps: ContractGroup = {
  title: "stamps of a log",
  cases: [
    {
      title: "differ after every append, rotation and rewriting, and no one comes back",
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
      title: "are the same in every store, whoever wrote",
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
      title: "stay as they are however much is read, leased and refused",
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
      title: "tell two sessions apart that had the same id one after the other",
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
