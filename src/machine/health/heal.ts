import type { Owner } from "../../ports/lease.ts";
import type { LogStore, Recovery } from "../../ports/log-store.ts";
import { isWorldlineError } from "../../record/error.ts";
import { checkArguments, option } from "../../record/options.ts";
import type { Holding } from "../open.ts";
import { examine } from "./examine.ts";
import { isSameProblem, type Problem } from "./problem.ts";

/** What became of one problem. */
export interface Healing {
  readonly problem: Problem;
  readonly outcome: "fixed" | "not-fixed";
  /** What was done, or why nothing was. */
  readonly message: string;
}

/** Does what can be done about a problem, then looks again: "fixed" is said of what is no longer there. */
export async function heal(store: LogStore, problem: Problem, holding: Holding): Promise<Healing> {
  checkArguments("heal", {
    store: [store, option.openStore],
    problem: [problem, option.object],
    holding: [holding, option.object],
  });
  if (problem.fix === "none") return { problem, outcome: "not-fixed", message: problem.hint };
  let done: string;
  try {
    done = await recover(store, problem, holding);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return { problem, outcome: "not-fixed", message: [error.message, error.hint].join(" ").trim() };
  }
  const { problems } = await examine(store, [problem.session]);
  const isStillThere = problems.some((one) => isSameProblem(one, problem));
  return isStillThere
    ? { problem, outcome: "not-fixed", message: `${done} The fault is still there.` }
    : { problem, outcome: "fixed", message: done };
}

async function recover(store: LogStore, problem: Problem, holding: Holding): Promise<string> {
  const lease = await store.lease(problem.session, { waitMs: 0, ...holding });
  try {
    return wordsFor(await store.recover(problem.session), lease.takenFrom);
  } finally {
    await lease.release();
  }
}

function wordsFor({ setAside }: Recovery, takenFrom: Owner | undefined): string {
  const moved = setAside.map(({ file, bytes }) => `${bytes} torn bytes were set aside in ${file}.`);
  const lock = takenFrom === undefined ? [] : [`The lock ${ofOwner(takenFrom)} was removed.`];
  return [...(moved.length === 0 ? ["The last line was ended."] : moved), ...lock].join(" ");
}

function ofOwner({ name }: Owner): string {
  return name === "" ? "that could not be read" : `of ${name}, which does not use the session any more,`;
}
