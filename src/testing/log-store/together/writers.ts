import assert from "node:assert/strict";
import type { LogStore } from "../../../ports/log-store.ts";
import type { Entry } from "../../../record/entry.ts";
import { isWorldlineError } from "../../../record/error.ts";
import { toSeq } from "../../../record/ids.ts";
import { textPart } from "../../../record/parts.ts";
import { Story, sessionNumber } from "../../story.ts";
import type { ContractGroup } from "../subject.ts";

const END = toSeq(99_999);
const MOST_TRIES = 1_000;

async function begun(store: LogStore, number = 1): Promise<Story> {
  const story = new Story(sessionNumber(number));
  await store.create(story.begin());
  return story;
}

/** Lets every writer append its own entries at the same line; returns which one won, after checking the others' errors. */
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

/** The same lines as another writer would have written them. */
function asBy(name: string, entries: readonly Entry[]): readonly Entry[] {
  return entries.map((entry) => ({ ...entry, parts: [textPart(`by ${name}`)] }) as Entry);
}

export const writers: ContractGroup = {
  title: "several writers",
  cases: [
    {
      title: "lets exactly one of two win each of 60 lines, and keeps what the winner wrote",
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
      title: "never mixes the lines of two appends of several entries",
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
      title: "lets several that open again after each refusal bring everything in",
      run: async ({ store, another }) => {
        const story = await begun(store);
        const { session } = story;
        const template = story.prompt("");
        const bringIn = async (writer: LogStore, name: string): Promise<void> => {
          for (let [done, tries] = [0, 0]; done < 10; tries += 1) {
            assert.ok(tries < MOST_TRIES, `${name} was refused ${tries - done} times`);
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
      title: "keeps apart what several stores write to several sessions at once",
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
      title: "keeps one blob that ten put at once",
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
