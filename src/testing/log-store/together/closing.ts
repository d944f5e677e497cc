import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { isWorldlineError } from "../../../record/error.ts";
import { toSeq } from "../../../record/ids.ts";
import { Story, sessionNumber } from "../../story.ts";
import type { ContractGroup } from "../subject.ts";

const PATIENCE_MS = 4_000;

/** What came of it: it must come to an end, and an error must be one that says something. */
async function ends(what: string, work: Promise<unknown>): Promise<void> {
  const tried = work.then(
    () => "ended",
    (error: unknown) => (isWorldlineError(error) ? "ended" : error),
  );
  const late = setTimeout(PATIENCE_MS, "too late", { ref: false });
  assert.equal(await Promise.race([tried, late]), "ended", what);
}

export const closing: ContractGroup = {
  title: "closing",
  cases: [
    {
      title: "twice, or at once, or without any use, is as once",
      run: async ({ store, another }) => {
        await another().close();
        const story = new Story();
        await store.create(story.begin());
        await Promise.all([store.close(), store.close()]);
        await store.close();
      },
    },
    {
      title: "leaves everything that was written for the next store",
      run: async ({ store, another }) => {
        const story = new Story();
        await store.create(story.begin());
        await store.append(story.session, toSeq(2), [story.prompt("kept")]);
        await store.close();
        assert.deepEqual(await another().read(story.session, toSeq(1), toSeq(9)), story.entries);
      },
    },
    {
      title: "gives back the leases that are still held, and those of no other store",
      run: async ({ store, another }) => {
        const [mine, theirs] = [new Story(), new Story(sessionNumber(2))];
        await store.create(mine.begin());
        await store.create(theirs.begin());
        const other = another();
        await store.lease(mine.session, { name: "closes", waitMs: 0 });
        const { owner } = await other.lease(theirs.session, { name: "stays", waitMs: 0 });
        await store.close();
        assert.equal(await other.holder(mine.session), undefined);
        assert.deepEqual(await other.holder(theirs.session), { owner, life: "living" });
        const next = await other.lease(mine.session, { name: "the next", waitMs: 0 });
        assert.equal(next.takenFrom, undefined);
      },
    },
    {
      title: "one store leaves another one on the same sessions as it was",
      run: async ({ store, another }) => {
        const story = new Story();
        await store.create(story.begin());
        const other = another();
        const lease = await other.lease(story.session, { name: "goes on", waitMs: 0 });
        await store.close();
        await other.append(story.session, toSeq(2), [story.prompt("goes on")]);
        assert.deepEqual(await other.holder(story.session), { owner: lease.owner, life: "living" });
        await lease.release();
      },
    },
    {
      title: "makes every later call work or fail with a clear error, and none of them hang",
      run: async ({ store }) => {
        const story = new Story();
        await store.create(story.begin());
        const lease = await store.lease(story.session, { name: "late", waitMs: 0 });
        await store.close();
        await ends("list", store.list());
        await ends("open", store.open(story.session));
        await ends("append", store.append(story.session, toSeq(2), [story.prompt("late")]));
        await ends("read", store.read(story.session, toSeq(1), toSeq(1)));
        await ends("putBlob", store.putBlob(story.session, Buffer.from("late")));
        await ends("holder", store.holder(story.session));
        await ends("release", lease.release());
        await ends("close", store.close());
      },
    },
  ],
};
