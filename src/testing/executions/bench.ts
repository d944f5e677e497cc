import type { Execution } from "../../executions/execution.ts";
import { beginExecution, holdExecution } from "../../executions/hold-execution.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { LogStoreSubject } from "../log-store/subject.ts";
import { ManualClock } from "../simulated-system.ts";

/** The context of a test case: a store and the programs that run on it. */
export interface ExecutionBench {
  readonly subject: LogStoreSubject;
  /** Starts the program as a new process would, with a separate store object on the same content. */
  start(id?: string, scope?: string): Promise<Execution>;
}

export interface ExecutionCase {
  readonly title: string;
  readonly needs?: "fillUp";
  run(bench: ExecutionBench): Promise<void>;
}

export interface ExecutionGroup {
  readonly title: string;
  readonly cases: readonly ExecutionCase[];
}

export function benchOn(subject: LogStoreSubject): ExecutionBench {
  const seeds = { next: 1 };
  return {
    subject,
    start: async (id = "exec-1", scope = "/workspace") => {
      seeds.next += 1;
      return startOn(subject.another(), { id, scope }, new ManualClock({ seed: seeds.next * 1_000 }));
    },
  };
}

async function startOn(
  store: LogStore,
  { id, scope }: { readonly id: string; readonly scope: string },
  clock: ManualClock,
): Promise<Execution> {
  const header = await beginExecution({ store, clock }, { id, scope, workspace: "/workspace" });
  return holdExecution({ store, clock }, header, { name: "a program under test", waitMs: 0 });
}

/** Creates a promise that the test case can resolve at any time. */
export function held<Value>(): { readonly promise: Promise<Value>; readonly end: (value: Value) => void } {
  let end: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((resolve) => {
    end = resolve;
  });
  return { promise, end };
}

/** Leaves a step open, as a killed program would. The step has begun, but its end is never written. */
export async function leaveOpen(execution: Execution, name: string): Promise<void> {
  const begun = held<void>();
  const never = held<void>();
  const step = execution.step(name, async () => {
    begun.end();
    await never.promise;
  });
  step.catch(() => undefined);
  await begun.promise;
  await execution.close();
  never.end();
  await step.catch(() => undefined);
}
