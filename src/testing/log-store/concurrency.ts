import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { LogStore } from "../../ports/log-store.ts";
import type { Entry } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import { toSeq } from "../../record/ids.ts";
import { textPart } from "../../record/parts.ts";
import { Story, sessionNumber } from "../story.ts";
import type { ContractGroup, LogStoreSubject } from "./subject.ts";

const END = toSeq(99_999);
const MAX_TRIES = 1_000;

async function begun(store: LogStore, number = 1): Promise<Story> {
  const story = new Story(sessionNumber(number));
  await store.create(story.begin());
  return story;
}

/**
 * Makes every writer append its own entries at the same line. Checks the errors of the writers that lost, and returns
 * the winner's entries.
 */
async function race(story: Story, tries: readonly { store: LogStore; entries: readonly Entry[] }[]) {
  const outcomes = await Promise.allSettled(
    tries.map(async ({ store, entries }) =>
      store.append(story.session, toSeq(entries[0]?.seq ?? 0), entries),
    ),
  );
  const winners = outcomes.flatMap(({ status }, at) => (status === "fulfilled" ? [at] : []));
  for (const outcome of outcomes) {
    if (outcome.status === "fulfilled") continue;
    assert.ok(isWorldlineError(outcome.reason, "SEQ_CONFLICT"), String(outcome.reason));
  }
  assert.equal(winners.length, 1, `${winners.length} of ${tries.length} won`);
  return tries[winners[0] ?? 0]?.entries ?? [];
}

/** Returns the same entries with different text, as if another writer had written these lines. */
function asBy(name: string, entries: readonly Entry[]): readonly Entry[] {
  return entries.map((entry) => ({ ...entry, parts: [textPart(`by ${name}`)] }) as Entry);
}

export const writers: ContractGroup = {
  title: "several writers",
  cases: [
    {
      title: "lets exactly one of two writers win each of 60 lines, and keeps what the winner wrote",
      run: async ({ store, another }) => {
        const story = await begun(store);
        const other = another();
        const kept: Entry[] = [...story.entries];
        for (let round = 0; round < 60; round += 1) {
          const entries = [story.prompt("")];
          const tries = [
            { store, entries: asBy(`the first, ${round}`, entries) },
            { store: other, entries: asBy(`the second, ${round}`, entries) },
          ];
          kept.push(...(await race(story, round % 2 === 0 ? tries : tries.toReversed())));
        }
        for (const each of [store, other, another()])
          assert.deepEqual(await each.read(story.session, toSeq(1), END), kept);
        assert.deepEqual(await store.verify(story.session), []);
      },
    },
    {
      title: "never mixes the lines of two appends with several entries each",
      run: async ({ store, another }) => {
        const story = await begun(store);
        const stores = [store, another(), another(), another()];
        const kept: Entry[] = [...story.entries];
        for (let round = 0; round < 10; round += 1) {
          const entries = Array.from({ length: 5 }, () => story.prompt(""));
          const tries = stores.map((each, at) => ({ store: each, entries: asBy(`${round}/${at}`, entries) }));
          kept.push(...(await race(story, tries)));
        }
        assert.deepEqual(await another().read(story.session, toSeq(1), END), kept);
        assert.equal((await another().open(story.session)).outline.length, 51);
      },
    },
    {
      title: "lets several writers append everything if they open the session again after each refusal",
      run: async ({ store, another }) => {
        const story = await begun(store);
        const { session } = story;
        const template = story.prompt("");
        const bringIn = async (writer: LogStore, name: string): Promise<void> => {
          for (let [done, tries] = [0, 0]; done < 10; tries += 1) {
            assert.ok(tries < MAX_TRIES, `${name} was refused ${tries - done} times`);
            const { nextSeq, head } = (await writer.open(session)).outline;
            const id = `${name}${done}`.padEnd(12, "0") as Entry["id"];
            const entry = { ...template, seq: nextSeq, id, parent: head?.id ?? null } as Entry;
            try {
              await writer.append(session, nextSeq, [entry]);
              done += 1;
            } catch (error) {
              if (!isWorldlineError(error, "SEQ_CONFLICT")) throw error;
            }
          }
        };
        await Promise.all(["a", "b", "c", "d"].map(async (name) => bringIn(another(), name)));
        const { outline, damage } = await another().open(session);
        assert.deepEqual([outline.length, damage], [41, []]);
        const ids = (await store.read(session, toSeq(2), END)).map(({ id }) => id);
        assert.equal(new Set(ids).size, 40);
      },
    },
    {
      title: "keeps sessions separate if several stores write to them at once",
      run: async ({ store, another }) => {
        const stories = await Promise.all([1, 2, 3, 4, 5].map(async (number) => begun(store, number)));
        const write = async (story: Story): Promise<void> => {
          const own = another();
          for (let at = 0; at < 20; at += 1) {
            const entry = story.prompt(`${story.session} ${at}`);
            await own.append(story.session, entry.seq, [entry]);
            await own.putBlob(story.session, Buffer.from(`${story.session} ${at}`));
          }
        };
        await Promise.all(stories.map(write));
        for (const story of stories) {
          assert.deepEqual(await store.read(story.session, toSeq(1), END), story.entries);
          assert.equal((await store.listBlobs(story.session)).length, 20);
          assert.deepEqual(await store.verify(story.session), []);
        }
      },
    },
    {
      title: "keeps one copy of a blob that ten stores put at once",
      run: async ({ store, another }) => {
        const { session } = await begun(store);
        const bytes = Buffer.from("wanted by all");
        const stores = Array.from({ length: 10 }, another);
        const hashes = await Promise.all(stores.map(async (each) => each.putBlob(session, bytes)));
        assert.equal(new Set(hashes).size, 1);
        assert.deepEqual(await store.listBlobs(session), hashes.slice(0, 1));
      },
    },
  ],
};

/** Creates a session whose holder was killed. */
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
      title: "reports that the holder is dead, and who it was, until the lease is taken",
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
      title: "gives the lease immediately to exactly one of ten stores that try, and names the dead owner",
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
      title: "lets the new owner continue after the last line, and leaves nothing of the dead owner",
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
      title: "does not prevent reading, listing, or moving the session",
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

const PATIENCE_MS = 4_000;

/** Checks that the work ends, and that if it ends with an error, the error is a `WorldlineError`. */
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
      title: "twice, concurrently, or without any use is harmless",
      run: async ({ store, another }) => {
        await another().close();
        const story = new Story();
        await store.create(story.begin());
        await Promise.all([store.close(), store.close()]);
        await store.close();
      },
    },
    {
      title: "keeps everything that was written for the next store",
      run: async ({ store, another }) => {
        const story = new Story();
        await store.create(story.begin());
        await store.append(story.session, toSeq(2), [story.prompt("kept")]);
        await store.close();
        assert.deepEqual(await another().read(story.session, toSeq(1), toSeq(9)), story.entries);
      },
    },
    {
      title: "releases the leases that the store still holds, but not those of other stores",
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
      title: "one store does not affect another store for the same sessions",
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
      title: "makes every later call work or fail with a clear error, without hanging",
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
