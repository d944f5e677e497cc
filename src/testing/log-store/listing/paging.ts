import assert from "node:assert/strict";
import type { LogStore } from "../../../ports/log-store.ts";
import type { SessionId } from "../../../record/ids.ts";
import { sessionNumber } from "../../story.ts";
import type { ContractGroup } from "../subject.ts";
import { beginSession } from "./begin-session.ts";

const PAGE = 7;
const WORKSPACE = "/projects/pool";

/** Fifty sessions with every second number, so that others can be made between them. */
async function fifty(store: LogStore): Promise<Set<SessionId>> {
  const numbers = Array.from({ length: 50 }, (_, at) => 2 * (at + 1));
  await Promise.all(numbers.map(async (number) => beginSession(store, { number })));
  return new Set(numbers.map(sessionNumber));
}

/** What the next page must be, of those that are there. */
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
      title: "gives every session once, in the order of ids",
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
      title: "has no gaps and no repeats while sessions are made and trashed between the pages",
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
          // One before the place that was come to and one behind it, by whoever else uses the store.
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
      title: "goes on behind an id that is not there any more, or never was",
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
        "lists as many as the limit says, after the other filters: none for 0, all for more than there are",
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
