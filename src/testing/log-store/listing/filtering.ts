import assert from "node:assert/strict";
import type { SessionFilter } from "../../../ports/log-store.ts";
import { toSeq } from "../../../record/ids.ts";
import { sessionNumber } from "../../story.ts";
import { type ContractGroup, damage, type LogStoreSubject } from "../subject.ts";
import { type Beginning, beginSession } from "./begin-session.ts";

const BEGINNINGS: readonly Beginning[] = [
  { number: 1, workspace: "/a" },
  { number: 2, workspace: "/b" },
  { number: 3, workspace: "/a", mode: "execution" },
  { number: 4, workspace: "/b", mode: "workspace" },
  { number: 5, workspace: "/a", mode: "execution" },
];

async function begun({ store }: LogStoreSubject): Promise<void> {
  for (const each of BEGINNINGS.toReversed()) await beginSession(store, each);
}

export const filtering: ContractGroup = {
  title: "listing with a filter",
  cases: [
    {
      title: "lets through the workspace, the mode, both together, and everything without one",
      run: async (subject) => {
        await begun(subject);
        const expected: readonly (readonly [SessionFilter, readonly number[]])[] = [
          [{}, [1, 2, 3, 4, 5]],
          [{ workspace: "/a" }, [1, 3, 5]],
          [{ mode: "agent" }, [1, 2]],
          [{ mode: "workspace" }, [4]],
          [{ mode: "execution" }, [3, 5]],
          [{ workspace: "/a", mode: "execution" }, [3, 5]],
          [{ workspace: "/b", mode: "execution" }, []],
          [{ workspace: "/nowhere" }, []],
        ];
        for (const store of [subject.store, subject.another()]) {
          for (const [filter, numbers] of expected)
            assert.deepEqual(await store.list(filter), numbers.map(sessionNumber), JSON.stringify(filter));
        }
      },
    },
    {
      title: "does not list what is in the trash, and lists it again when it is back",
      run: async (subject) => {
        await begun(subject);
        const { store } = subject;
        await store.trash(sessionNumber(3), 1000);
        assert.deepEqual(await store.list({ workspace: "/a" }), [1, 5].map(sessionNumber));
        assert.deepEqual(await store.list({ mode: "execution" }), [sessionNumber(5)]);
        await store.undelete(sessionNumber(3));
        assert.deepEqual(await store.list({ workspace: "/a" }), [1, 3, 5].map(sessionNumber));
      },
    },
    {
      title: "goes by the session that has the id now, not by one in the trash",
      run: async ({ store }) => {
        const session = await beginSession(store, { number: 1, workspace: "/old" });
        await store.trash(session, 1000);
        await beginSession(store, { number: 1, workspace: "/new" });
        assert.deepEqual(await store.list({ workspace: "/old" }), []);
        assert.deepEqual(await store.list({ workspace: "/new" }), [session]);
      },
    },
    {
      title: "never loses a session whose first line cannot be read",
      needs: "damageLine",
      run: async (subject) => {
        await begun(subject);
        await subject.store.close();
        await damage(subject, sessionNumber(3), toSeq(1));
        const store = subject.another();
        const others = async (filter: SessionFilter) =>
          (await store.list(filter)).filter((id) => id !== sessionNumber(3));
        for (const filter of [{}, { workspace: "/a" }, { mode: "execution" }] as const)
          assert.ok((await store.list(filter)).includes(sessionNumber(3)), JSON.stringify(filter));
        assert.deepEqual(await others({ workspace: "/a" }), [1, 5].map(sessionNumber));
        assert.deepEqual(await others({ workspace: "/b" }), [2, 4].map(sessionNumber));
      },
    },
    {
      title: "still finds a session after its log was rewritten",
      run: async (subject) => {
        await begun(subject);
        await subject.store.rewrite(sessionNumber(3), (entry) => entry);
        assert.deepEqual(await subject.another().list({ workspace: "/a" }), [1, 3, 5].map(sessionNumber));
      },
    },
  ],
};
