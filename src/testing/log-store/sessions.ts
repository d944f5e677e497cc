import assert from "node:assert/strict";
import type { Entry, EntryOf } from "../../record/entry.ts";
import { type SessionId, toSeq } from "../../record/ids.ts";
import { Story, sessionNumber } from "../story.ts";
import { type ContractGroup, rejectsWith } from "./subject.ts";

/** Test cases for creating sessions and finding them again. */
export const sessions: ContractGroup = {
  title: "creating and listing sessions",
  cases: [
    {
      title: "lists nothing before the first session is created",
      run: async ({ store }) => assert.deepEqual(await store.list(), []),
    },
    {
      title: "opens a new session with its first entry and no damage",
      run: async ({ store }) => {
        const story = new Story();
        const first = story.begin();
        await store.create(first);
        const { outline, damage } = await store.open(story.session);
        assert.deepEqual(damage, []);
        assert.equal(outline.length, 1);
        assert.equal(outline.head?.id, first.id);
        assert.deepEqual(await store.read(story.session, toSeq(1), toSeq(1)), [first]);
      },
    },
    {
      title: "creates a session with entries and blobs from the start, and continues after them",
      run: async ({ store }) => {
        const story = new Story();
        const first = story.begin();
        const entries = [story.prompt("copied"), story.reply("copied too")];
        await store.create(first, { entries, blobs: [Buffer.from("a blob")] });
        await store.append(story.session, toSeq(4), [story.prompt("new")]);
        assert.deepEqual(await store.read(story.session, toSeq(1), toSeq(9)), story.entries);
        const [hash] = await store.listBlobs(story.session);
        assert.ok(hash !== undefined);
        assert.deepEqual(Buffer.from(await store.getBlob(story.session, hash)), Buffer.from("a blob"));
      },
    },
    {
      title: "refuses to create a session twice, and leaves the first one unchanged",
      run: async ({ store }) => {
        const story = new Story();
        await store.create(story.begin());
        await store.append(story.session, toSeq(2), [story.prompt("mine")]);
        await rejectsWith("SESSION_EXISTS", store.create(new Story().begin("/elsewhere")));
        assert.deepEqual(await store.read(story.session, toSeq(1), toSeq(2)), story.entries);
      },
    },
    {
      title: "lets only one of 20 concurrent calls create a session",
      run: async ({ store, another }) => {
        const other = another();
        const tries = Array.from({ length: 20 }, (_, at) =>
          (at % 2 ? store : other).create(new Story().begin()),
        );
        const outcomes = await Promise.allSettled(tries);
        assert.equal(outcomes.filter((outcome) => outcome.status === "fulfilled").length, 1);
      },
    },
    {
      title: "keeps 200 sessions that are created at once",
      run: async ({ store }) => {
        const ids = Array.from({ length: 200 }, (_, at) => sessionNumber(at + 1));
        await Promise.all(ids.map((id) => store.create(new Story(id).begin())));
        assert.deepEqual(await store.list(), [...ids].sort());
      },
    },
    {
      title: "never mixes up sessions whose ids begin the same way",
      run: async ({ store }) => {
        const one = new Story("exec000001" as SessionId);
        const ten = new Story("exec000010" as SessionId);
        await store.create(one.begin());
        await store.create(ten.begin());
        await store.append(ten.session, toSeq(2), [ten.prompt("for ten")]);
        assert.equal((await store.open(one.session)).outline.length, 1);
        assert.equal((await store.open(ten.session)).outline.length, 2);
      },
    },
    {
      title: "refuses all operations on a session that was never created",
      run: async ({ store }) => {
        const unknown = sessionNumber(404);
        await rejectsWith("SESSION_UNKNOWN", store.open(unknown));
        await rejectsWith("SESSION_UNKNOWN", store.recover(unknown));
        await rejectsWith("SESSION_UNKNOWN", store.read(unknown, toSeq(1), toSeq(1)));
        await rejectsWith("SESSION_UNKNOWN", store.append(unknown, toSeq(2), [new Story(unknown).begin()]));
        await rejectsWith("SESSION_UNKNOWN", store.lease(unknown, { name: "test", waitMs: 0 }));
        await rejectsWith("SESSION_UNKNOWN", store.putBlob(unknown, Buffer.from("x")));
      },
    },
    {
      title: "refuses an invalid first entry or an invalid later entry, and creates nothing",
      run: async ({ store, another }) => {
        const story = new Story();
        const first = story.begin();
        const entry = story.prompt("good");
        const wrong: readonly Readonly<Record<string, unknown>>[] = [
          { backtrack: false },
          { mode: "chat" },
          { workspace: 5 },
          { tag: undefined },
          { version: 0 },
          { numbersFrom: -1 },
          { kind: "nothing" },
          { kind: "prompt" },
          { at: "yesterday" },
          { seq: 2 },
        ];
        for (const fields of wrong) {
          await rejectsWith("ENTRY_INVALID", store.create({ ...first, ...fields } as EntryOf<"session">));
        }
        for (const fields of [{ parts: "no list" }, { kind: "nothing" }, { id: 5 }, { seq: 7 }]) {
          const entries = [{ ...entry, ...fields } as Entry];
          await rejectsWith("ENTRY_INVALID", store.create(first, { entries, blobs: [] }));
        }
        assert.deepEqual(await store.list(), []);
        assert.deepEqual(await another().listRemnants(), []);
        await store.create(first, { entries: [entry], blobs: [] });
        assert.deepEqual(await another().verify(story.session), []);
      },
    },
    {
      title: "does not accept invalid session ids",
      run: async ({ store }) => {
        for (const id of ["../../evil", "", ".", "a/b", "UPPERCASE0", "short"] as SessionId[]) {
          await rejectsWith("SESSION_UNKNOWN", store.open(id));
          await rejectsWith("SESSION_UNKNOWN", store.lease(id, { name: "test", waitMs: 0 }));
          await rejectsWith("ENTRY_INVALID", store.create(new Story(id).begin()));
        }
        assert.deepEqual(await store.list(), []);
      },
    },
  ],
};

export const trash: ContractGroup = {
  title: "the trash",
  cases: [
    {
      title: "removes a session from the list, and restores it completely",
      run: async ({ store, another }) => {
        const story = new Story();
        await store.create(story.begin());
        await store.append(story.session, toSeq(2), [story.prompt("keep me")]);
        const hash = await store.putBlob(story.session, Buffer.from("and me"));
        await store.trash(story.session, 1000);
        assert.deepEqual(await store.list(), []);
        assert.deepEqual(await store.listTrash(), [{ session: story.session, at: 1000 }]);
        await rejectsWith("SESSION_UNKNOWN", store.open(story.session));
        await another().undelete(story.session);
        assert.deepEqual(await store.list(), [story.session]);
        assert.deepEqual(await store.read(story.session, toSeq(1), toSeq(2)), story.entries);
        assert.equal(Buffer.from(await store.getBlob(story.session, hash)).toString(), "and me");
        assert.deepEqual(await store.listTrash(), []);
      },
    },
    {
      title: "lets a session that was held when it was trashed be held again after it is restored",
      run: async ({ store }) => {
        const story = new Story();
        await store.create(story.begin());
        const lease = await store.lease(story.session, { name: "holder", waitMs: 0 });
        await store.trash(story.session, 1);
        await lease.release();
        await store.undelete(story.session);
        await (await store.lease(story.session, { name: "again", waitMs: 0 })).release();
      },
    },
    {
      title: "restores the newest of two sessions with the same id, and never replaces an existing one",
      run: async ({ store }) => {
        for (const [at, workspace] of [
          [1, "/old"],
          [2, "/new"],
        ] as const) {
          const story = new Story();
          await store.create(story.begin(workspace));
          await store.trash(story.session, at);
        }
        const { session } = new Story();
        await store.undelete(session);
        const [first] = await store.read(session, toSeq(1), toSeq(1));
        assert.equal(first?.kind === "session" && first.workspace, "/new");
        await rejectsWith("SESSION_EXISTS", store.undelete(session));
      },
    },
    {
      title: "permanently deletes only what was trashed before the given time",
      run: async ({ store }) => {
        const ids = [1, 2, 3].map(sessionNumber);
        for (const [at, id] of ids.entries()) {
          await store.create(new Story(id).begin());
          await store.trash(id, (at + 1) * 1000);
        }
        assert.deepEqual([...(await store.emptyTrash(2000))], ids.slice(0, 1));
        assert.deepEqual(
          (await store.listTrash()).map((each) => each.session),
          ids.slice(1),
        );
        await rejectsWith("SESSION_UNKNOWN", store.undelete(ids[0] ?? sessionNumber(1)));
      },
    },
    {
      title: "leaves no remnants of sessions that were trashed, restored, or deleted",
      run: async ({ store }) => {
        const ids = [1, 2].map(sessionNumber);
        for (const [at, id] of ids.entries()) {
          await store.create(new Story(id).begin());
          await store.trash(id, at);
        }
        await store.undelete(ids[0] ?? sessionNumber(1));
        await store.emptyTrash(1000);
        assert.deepEqual(await store.listRemnants(), []);
      },
    },
    {
      title: "refuses a session that does not exist or was never trashed",
      run: async ({ store }) => {
        await rejectsWith("SESSION_UNKNOWN", store.trash(sessionNumber(7), 1));
        await rejectsWith("SESSION_UNKNOWN", store.undelete(sessionNumber(7)));
      },
    },
  ],
};
