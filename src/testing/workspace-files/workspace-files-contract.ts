import { capturing, comparing } from "./capturing.ts";
import { restoring } from "./restoring.ts";
import type { FilesCase, FilesGroup, WorkspaceFilesSubject } from "./subject.ts";

export interface WorkspaceFilesContractOptions {
  /** Opens an empty workspace for one test case. */
  open(): WorkspaceFilesSubject | Promise<WorkspaceFilesSubject>;
  /** Functions from the caller's test runner. Vitest, Jest, Mocha, and `node:test` all provide `describe` and `it`. */
  readonly describe: (title: string, body: () => void) => unknown;
  readonly it: (title: string, body: () => Promise<void>) => unknown;
}

const groups: readonly FilesGroup[] = [capturing, comparing, restoring];

/**
 * Defines the `WorkspaceFiles` contract as tests. The assertions are Node's own, so that the suite runs under any test
 * runner.
 */
export function workspaceFilesContract(name: string, options: WorkspaceFilesContractOptions): void {
  const { describe, it, open } = options;
  describe(`${name} fulfills the workspace files contract`, () => {
    for (const group of groups) {
      describe(group.title, () => {
        for (const each of group.cases) it(each.title, async () => runCase(each, await open()));
      });
    }
  });
}

async function runCase(each: FilesCase, subject: WorkspaceFilesSubject): Promise<void> {
  try {
    const needed = each.needs === undefined ? undefined : subject[each.needs];
    // A subject must give the reason why it cannot demonstrate a case. No case is skipped without a reason.
    if (typeof needed === "object") {
      if (needed.notHere.length === 0) throw new Error(`"${each.title}" is skipped without a reason.`);
      return;
    }
    await each.run(subject);
  } finally {
    await subject.end();
  }
}
