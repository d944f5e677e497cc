import assert from "node:assert/strict";
import type { LogStore, SessionFilter } from "../../ports/log-store.ts";
import type { SessionBody } from "../../record/entry.ts";
import { type SessionId, toSeq } from "../../record/ids.ts";
import { Story, sessionNumber } from "../story.ts";
import { type ContractGroup, damage, type LogStoreSubject } from "./subject.ts";

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
      title: "filters by workspace, by mode, by both, or not at all",
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
      title: "does not list a session in the trash, and lists it again once it is restored",
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
      title: "uses the session that has the id now, not one in the trash",
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

const PAGE = 7;
const WORKSPACE = "/projects/pool";

/** Creates fifty sessions, using every other number, so that more sessions can be created between them. */
async function fifty(store: LogStore): Promise<Set<SessionId>> {
  const numbers = Array.from({ length: 50 }, (_, at) => 2 * (at + 1));
  await Promise.all(numbers.map(async (number) => beginSession(store, { number })));
  return new Set(numbers.map(sessionNumber));
}

/** Returns the page that the store should list next, given the sessions that exist. */
function pageOf(there: ReadonlySet<SessionId>, after: SessionId | undefined): readonly SessionId[] {
  return [...there]
    .filter((id) => after === undefined || id > after)
    .sort()
    .slice(0, PAGE);
}

export const paging: ContractGroup = {
  title: "listing page by page",
  cases: [
    {
      title: "lists every session once, in the order of the ids",
      run: async ({ store }) => {
        const there = await fifty(store);
        const seen = [...(await store.list({ limit: PAGE }))];
        for (let pages = 1; pages < 50 / PAGE; pages += 1) {
          const last = seen.at(-1);
          assert.ok(last !== undefined);
          seen.push(...(await store.list({ limit: PAGE, after: last })));
        }
        assert.deepEqual(seen, [...there].sort());
      },
    },
    {
      title: "has no gaps or repeats if sessions are created and trashed between the pages",
      run: async ({ store, another }) => {
        const there = await fifty(store);
        const other = another();
        let after: SessionId | undefined;
        for (let round = 0; round < 9; round += 1) {
          const page = await store.list({
            workspace: WORKSPACE,
            limit: PAGE,
            ...(after === undefined ? {} : { after }),
          });
          assert.deepEqual(page, pageOf(there, after), `page ${round + 1}`);
          after = page.at(-1) ?? after;
          // Two sessions are added, as another user of the store might do: one before the current position and one
          // after it.
          for (const number of [2 * round + 1, 99 - 2 * round])
            there.add(await beginSession(other, { number }));
          for (const number of [2 * round + 2, 100 - 2 * round]) {
            await other.trash(sessionNumber(number), 1000);
            there.delete(sessionNumber(number));
          }
        }
      },
    },
    {
      title: "continues after an id that no longer exists or never existed",
      run: async ({ store }) => {
        for (const number of [1, 3, 5]) await beginSession(store, { number });
        await store.trash(sessionNumber(3), 1000);
        assert.deepEqual(await store.list({ after: sessionNumber(3) }), [sessionNumber(5)]);
        assert.deepEqual(await store.list({ after: sessionNumber(2) }), [sessionNumber(5)]);
        assert.deepEqual(await store.list({ after: sessionNumber(5) }), []);
      },
    },
    {
      title:
        "applies the limit after the other filters: none for 0, all for a limit above the number of sessions",
      run: async ({ store }) => {
        for (const number of [1, 2, 3, 4])
          await beginSession(store, { number, workspace: number % 2 === 0 ? "/even" : "/odd" });
        assert.deepEqual(await store.list({ limit: 0 }), []);
        assert.deepEqual(await store.list({ limit: 1_000_000 }), [1, 2, 3, 4].map(sessionNumber));
        assert.deepEqual(await store.list({ workspace: "/even", limit: 2 }), [2, 4].map(sessionNumber));
        assert.deepEqual(await store.list({ workspace: "/even", limit: 1, after: sessionNumber(2) }), [
          sessionNumber(4),
        ]);
      },
    },
  ],
};

interface Beginning {
  readonly number: number;
  readonly workspace?: string;
  readonly mode?: SessionBody["mode"];
}

/** Creates the session with this number. */
export async function beginSession(store: LogStore, beginning: Beginning): Promise<SessionId> {
  const { number, workspace, mode = "agent" } = beginning;
  const first = new Story(sessionNumber(number)).begin(workspace);
  await store.create({ ...first, mode });
  return first.session;
}
