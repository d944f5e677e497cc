import assert from "node:assert/strict";
import type { LogStore } from "../../../ports/log-store.ts";
import { toSeq } from "../../../record/ids.ts";
import { Story } from "../../story.ts";
import type { ContractGroup } from "../subject.ts";

const MIB = 1024 * 1024;
const MANY = 5_000;

async function begun(store: LogStore): Promise<Story> {
  const story = new Story();
  await store.create(story.begin());
  return story;
}

/** Bytes of every value, in no order that could be packed. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = 1;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

export const bigValues: ContractGroup = {
  title: "large values",
  cases: [
    {
      title: "keeps a blob of 8 MiB, byte for byte",
      run: async ({ store, another }) => {
        const { session } = await begun(store);
        const bytes = noise(8 * MIB);
        const hash = await store.putBlob(session, bytes);
        assert.ok(bytes.equals(Buffer.from(await another().getBlob(session, hash))));
        assert.deepEqual(await store.verify(session), []);
      },
    },
    {
      title: "keeps an entry whose line is of 1 MiB, and what stands around it",
      run: async ({ store, another }) => {
        const story = await begun(store);
        const entries = [story.prompt("before"), story.prompt("é".repeat(MIB / 2)), story.prompt("after")];
        await store.append(story.session, toSeq(2), entries);
        assert.deepEqual(await another().read(story.session, toSeq(1), toSeq(4)), story.entries);
        assert.deepEqual(await another().read(story.session, toSeq(4), toSeq(4)), story.entries.slice(3));
      },
    },
    {
      title: "keeps 5,000 entries of one append, and reads any range of them",
      run: async ({ store, another }) => {
        const story = await begun(store);
        const { session } = story;
        const entries = Array.from({ length: MANY }, (_, at) => story.prompt(`entry ${at}`));
        await store.append(session, toSeq(2), entries);
        const other = another();
        const { outline, damage } = await other.open(session);
        assert.deepEqual([outline.length, outline.nextSeq, damage], [MANY + 1, MANY + 2, []]);
        const ranges = [
          [1, MANY + 1],
          [2_400, 2_600],
          [MANY - 5, 2 * MANY],
          [MANY + 1, MANY + 1],
          [MANY + 2, 2 * MANY],
          [0, 3],
          [2_600, 2_400],
          [1, Number.MAX_SAFE_INTEGER],
        ] as const;
        for (const [from, to] of ranges) {
          const expected = story.entries.filter(({ seq }) => seq >= from && seq <= to);
          assert.deepEqual(await other.read(session, toSeq(from), toSeq(to)), expected, `${from} to ${to}`);
        }
      },
    },
    {
      title: "makes a session with 2,000 entries and 50 blobs from the start",
      run: async ({ store, another }) => {
        const story = new Story();
        const first = story.begin();
        const entries = Array.from({ length: 2_000 }, (_, at) => story.prompt(`copied ${at}`));
        const blobs = Array.from({ length: 50 }, (_, at) => Buffer.from(`blob ${at}`));
        await store.create(first, { entries, blobs });
        const other = another();
        assert.deepEqual(await other.read(story.session, toSeq(1), toSeq(9_999)), story.entries);
        assert.equal((await other.listBlobs(story.session)).length, 50);
      },
    },
  ],
};
