import assert from "node:assert/strict";
import type { LogStore } from "../../../ports/log-store.ts";
import { type SessionId, toSeq } from "../../../record/ids.ts";
import { Story, sessionNumber } from "../../story.ts";
import type { ContractGroup } from "../subject.ts";

const BYTES = 50_000;

async function totalOf(store: LogStore, session: SessionId): Promise<number> {
  return (await store.sizes(session)).reduce((sum, { bytes }) => sum + bytes, 0);
}

export const sizes: ContractGroup = {
  title: "sizes",
  cases: [
    {
      title: "grow with what is appended, which a store may pack, and with blobs",
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
      title: "are whole numbers of bytes, each under a name of its own",
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
      title: "count each session by itself, also one that has the id of another in the trash",
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
