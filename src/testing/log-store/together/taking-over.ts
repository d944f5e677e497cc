import assert from "node:assert/strict";
import { isWorldlineError } from "../../../record/error.ts";
import { toSeq } from "../../../record/ids.ts";
import { Story } from "../../story.ts";
import type { ContractGroup, LogStoreSubject } from "../subject.ts";

/** A session whose holder was killed. */
async function abandoned({ store, abandonLease }: LogStoreSubject): Promise<Story> {
  const story = new Story();
  await store.create(story.begin());
  await store.append(story.session, toSeq(2), [story.prompt("by the one that died")]);
  if (typeof abandonLease === "function") await abandonLease(story.session);
  return story;
}

export const takingOver: ContractGroup = {
  title: "taking over from a dead owner",
  cases: [
    {
      title: "says of the holder that it is dead, and who it was, as long as nobody asks",
      needs: "abandonLease",
      run: async (subject) => {
        const { session } = await abandoned(subject);
        for (const store of [subject.store, subject.another()]) {
          const holder = await store.holder(session);
          assert.equal(holder?.life, "dead");
          assert.ok((holder.owner?.name ?? "").length > 0);
        }
      },
    },
    {
      title: "gives the session at once to exactly one of ten that try, and says from whom",
      needs: "abandonLease",
      run: async (subject) => {
        const { session } = await abandoned(subject);
        const dead = (await subject.store.holder(session))?.owner;
        const tries = Array.from({ length: 10 }, async (_, at) =>
          subject.another().lease(session, { name: `heir ${at}`, waitMs: 0 }),
        );
        const outcomes = await Promise.allSettled(tries);
        const leases = outcomes.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
        assert.equal(leases.length, 1);
        for (const each of outcomes)
          assert.ok(each.status === "fulfilled" || isWorldlineError(each.reason, "SESSION_HELD"));
        assert.deepEqual(leases[0]?.takenFrom, dead);
        const expected = { owner: leases[0]?.owner, life: "living" };
        assert.deepEqual(await subject.store.holder(session), expected);
        await leases[0]?.release();
        assert.equal(await subject.store.holder(session), undefined);
      },
    },
    {
      title: "lets the heir go on behind the last line, and leaves nothing of the dead one",
      needs: "abandonLease",
      run: async (subject) => {
        const story = await abandoned(subject);
        const heir = subject.another();
        const lease = await heir.lease(story.session, { name: "the heir", waitMs: 0 });
        await heir.recover(story.session);
        await heir.append(story.session, toSeq(3), [story.prompt("by the heir")]);
        await lease.release();
        assert.deepEqual(await subject.store.read(story.session, toSeq(1), toSeq(9)), story.entries);
        const next = await subject.store.lease(story.session, { name: "the next", waitMs: 0 });
        assert.equal(next.takenFrom, undefined);
        await next.release();
      },
    },
    {
      title: "keeps nobody from reading, listing and moving the session",
      needs: "abandonLease",
      run: async (subject) => {
        const { session, entries } = await abandoned(subject);
        const store = subject.another();
        assert.deepEqual(await store.read(session, toSeq(1), toSeq(9)), entries);
        assert.deepEqual(await store.list(), [session]);
        await store.trash(session, 1000);
        await store.undelete(session);
        assert.equal(await store.holder(session), undefined);
      },
    },
  ],
};
