import { appending, blobs } from "./appending.ts";
import { closing, takingOver, writers } from "./concurrency.ts";
import { leases } from "./leases.ts";
import { filtering, paging } from "./listing.ts";
import { oddKeys, oddWorkspaces } from "./odd-keys.ts";
import { bigValues, oddContent } from "./odd-values.ts";
import { holders, sizes, stamps } from "./queries.ts";
import { damaged, rewriting } from "./rewriting.ts";
import { sessions, trash } from "./sessions.ts";
import type { ContractCase, ContractGroup, LogStoreSubject } from "./subject.ts";

export interface LogStoreContractOptions {
  /** Opens an empty store for one test case. */
  open(): LogStoreSubject | Promise<LogStoreSubject>;
  /** Functions from the caller's test runner. Vitest, Jest, Mocha, and `node:test` all provide `describe` and `it`. */
  readonly describe: (title: string, body: () => void) => unknown;
  readonly it: (title: string, body: () => Promise<void>) => unknown;
}

const groups: readonly ContractGroup[] = [
  sessions,
  filtering,
  paging,
  oddKeys,
  oddWorkspaces,
  appending,
  writers,
  bigValues,
  oddContent,
  damaged,
  leases,
  takingOver,
  holders,
  stamps,
  sizes,
  blobs,
  trash,
  rewriting,
  closing,
];

/**
 * Defines the `LogStore` contract as tests. The assertions are Node's own, so that the suite runs under any test
 * runner.
 *
 * ```ts
 * import { describe, it } from "vitest";
 * logStoreContract("my store", { describe, it, open: openMyStoreForATest });
 * ```
 */
export function logStoreContract(name: string, options: LogStoreContractOptions): void {
  const { describe, it, open } = options;
  describe(`${name} fulfills the log store contract`, () => {
    for (const group of groups) {
      describe(group.title, () => {
        for (const each of group.cases) it(each.title, async () => runCase(each, await open()));
      });
    }
  });
}

async function runCase(each: ContractCase, subject: LogStoreSubject): Promise<void> {
  try {
    const needed = each.needs === undefined ? undefined : subject[each.needs];
    // A store must give the reason why it cannot demonstrate a case. No case is skipped without a reason.
    if (typeof needed === "object") {
      if (needed.notHere.length === 0) throw new Error(`"${each.title}" is skipped without a reason.`);
      return;
    }
    await each.run(subject);
  } finally {
    await subject.remove();
  }
}
