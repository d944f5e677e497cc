import assert from "node:assert/strict";
import { toSeq } from "../../record/ids.ts";
import { Story, sessionNumber } from "../story.ts";
import { rejectsWith } from "./rejects-with.ts";
import type { ContractGroup } from "./subject.ts";

export const trash: ContractGroup = {
  title: "the trash",
  cases: [
    {
      title: "takes a session out of the list and gives it back whole",
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
      title: "a session that was held when it was trashed can be held again when it is back",
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
      title: "gives back the newest of two with one id, and never over a living one",
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
      title: "lets go for good only of what was trashed before",
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
      title: "leaves no remnants of what it moved, gave back or let go",
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
      title: "knows no session that was never trashed",
      run: async ({ store }) => {
        await rejectsWith("SESSION_UNKNOWN", store.trash(sessionNumber(7), 1));
        await rejectsWith("SESSION_UNKNOWN", store.undelete(sessionNumber(7)));
      },
    },
  ],
};
