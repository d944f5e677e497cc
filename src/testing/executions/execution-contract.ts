import type { LogStoreSubject } from "../log-store/subject.ts";
import { benchOn, type ExecutionCase, type ExecutionGroup } from "./bench.ts";
import { deleting, ending } from "./ending.ts";
import { failingStore, failures } from "./failures.ts";
import { goingBack } from "./going-back.ts";
import { callingAgain, identity } from "./identity.ts";
import { results } from "./results.ts";
import { saving, steps } from "./steps.ts";

export interface ExecutionContractOptions {
  /** Opens an empty store for one test case. */
  open(): LogStoreSubject | Promise<LogStoreSubject>;
  /** Functions from the caller's test runner. */
  readonly describe: (title: string, body: () => void) => unknown;
  readonly it: (title: string, body: () => Promise<void>) => unknown;
}

const groups: readonly ExecutionGroup[] = [
  steps,
  results,
  failures,
  callingAgain,
  saving,
  goingBack,
  identity,
  ending,
  deleting,
  failingStore,
];

/** Defines the contract for executions on a store as tests that run under any test runner. */
export function executionContract(name: string, { describe, it, open }: ExecutionContractOptions): void {
  describe(`executions on ${name}`, () => {
    for (const group of groups) {
      describe(group.title, () => {
        for (const each of group.cases) it(each.title, async () => runCase(each, await open()));
      });
    }
  });
}

async function runCase(each: ExecutionCase, subject: LogStoreSubject): Promise<void> {
  try {
    const needed = each.needs === undefined ? undefined : subject[each.needs];
    // A store must give the reason why it cannot demonstrate a case. No case is skipped without a reason.
    if (typeof needed === "object") {
      if (needed.notHere.length === 0) throw new Error(`"${each.title}" is skipped without a reason.`);
      return;
    }
    await each.run(benchOn(subject));
  } finally {
    await subject.remove();
  }
}
