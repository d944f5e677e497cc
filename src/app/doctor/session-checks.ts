import { systemClock } from "../../disk/system-clock.ts";
import { publishCheckpoints } from "../../machine/checkpoint-list.ts";
import { viewSession } from "../../machine/open.ts";
import { checkStore, type Problem, repairStore } from "../../machine/store-health.ts";
import type { Holder } from "../../ports/lease.ts";
import { isWorldlineError, type Remark, reasonFields } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { publishedFault } from "../checkpoints/checkpoint-list.ts";
import { type AppContext, heard } from "../context.ts";
import { holderIn } from "../sessions/store.ts";
import { type Check, type DoctorContext, type Finding, finding, holdingOf, orError } from "./check.ts";

export async function sessionChecks(exam: DoctorContext): Promise<readonly Check[]> {
  const sessions = exam.wanted ?? (await exam.store.list());
  const checks: Check[] = [];
  for (const [index, session] of sessions.entries()) {
    exam.onSession({ done: index + 1, of: sessions.length });
    checks.push(...(await orError("sessions", async () => checksOf(exam, session))));
  }
  exam.onSession("done");
  const isFine = checks.every(({ status }) => status === "note");
  const fine: Check = { about: "sessions", status: "ok", finding: finding("sessionsFine", sessions.length) };
  return isFine ? [fine, ...checks] : checks;
}

/** Checks one session. Repairing a session cannot be interrupted, so Ctrl-C takes effect after the repair. */
async function checksOf(exam: DoctorContext, session: SessionId): Promise<readonly Check[]> {
  const { problems } = await checkStore(exam.store, [session]);
  const check = async () => {
    const checks: Check[] = [];
    for (const problem of problems) checks.push(await checkOf(exam, problem));
    return [...checks, ...(await lockChecks(exam, session)), ...(await metadataChecks(exam, session))];
  };
  return exam.mode === "fix" ? heard(exam.context, check) : check();
}

async function checkOf({ context, store, mode }: DoctorContext, problem: Problem): Promise<Check> {
  const { session, place, severity, message, advice, fix } = problem;
  const of = { session, place };
  const found: Check = {
    about: "sessions",
    status: severity,
    of,
    finding: remarked([{ why: message, ...reasonFields(problem) }]),
    hint: advice && remarked([advice]),
  };
  if (fix === "none") return found;
  if (mode === "check") return { ...found, fixable: true };
  const healing = await repairStore(store, problem, holdingOf(context));
  const repair = remarked(healing.remarks);
  return healing.outcome === "fixed"
    ? { about: "sessions", status: "fixed", of, finding: repair }
    : { ...found, hint: repair };
}

function remarked(remarks: readonly Remark[]): Finding {
  return { code: "remarks", remarks };
}

/** Checks who has locked the session. `--fix` removes a lock that a dead process left. */
async function lockChecks(exam: DoctorContext, session: SessionId): Promise<readonly Check[]> {
  const { context, mode } = exam;
  const holder = await holderIn(exam.store, session);
  if (holder === undefined) return [];
  const lock = lockOf(holder, context);
  const of = { session, place: {} };
  const found: Check = {
    about: "sessions",
    status: lock.status,
    of,
    finding: lock.finding,
    hint: lock.hint,
  };
  if (lock.removed === undefined) return [found];
  if (mode === "check") return [{ ...found, fixable: true }];
  try {
    // Taking over the lease and releasing it is safe even if other programs try to do the same.
    const lease = await exam.store.lease(session, { ...holdingOf(context), waitMs: 0 });
    await lease.release();
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return [{ ...found, hint: { code: "problem", problem: error } }];
  }
  return [{ about: "sessions", status: "fixed", of, finding: lock.removed }];
}

interface CheckedLock {
  readonly status: "note" | "warning";
  readonly finding: Finding;
  readonly hint?: Finding;
  /** The finding to report after the lock is removed; absent if the lock must not be removed. */
  readonly removed?: Finding;
}

function lockOf({ owner, life }: Holder, context: AppContext): CheckedLock {
  if (owner === undefined) {
    return {
      status: "warning",
      finding: finding("lockUnreadable"),
      hint: finding("lockUnreadableHint"),
      removed: finding("lockUnreadableRemoved"),
    };
  }
  const owned = (lock: Extract<Finding, { code: "lock" }>["lock"]): Finding => ({
    code: "lock",
    lock,
    owner,
  });
  switch (life) {
    case "living":
      return { status: "note", finding: owned("inUse") };
    case "dead":
      return {
        status: "note",
        finding: owned("lockOfDead"),
        hint: finding("lockOfDeadHint"),
        removed: owned("lockRemoved"),
      };
    case "elsewhere":
      return {
        status: "warning",
        finding: owned("lockElsewhere"),
        hint: finding("lockElsewhereHint"),
        ...(context.common.takeOver === "yes" ? { removed: owned("lockTakenOver") } : {}),
      };
    default:
      return life satisfies never;
  }
}

/**
 * A program that has the session open writes the list right after the log. If the list is still outdated after this
 * time, the program will not update it.
 */
const WRITING_MS = 250;

/** Checks whether `checkpoints/metadata.json` matches the log. Applies only to sessions that are stored in files. */
async function metadataChecks(exam: DoctorContext, session: SessionId): Promise<readonly Check[]> {
  const { context, store, mode } = exam;
  if (store.place.kind !== "files") return [];
  let view = await viewSession(store, session);
  let why = await publishedFault(context.home, view);
  if (why === undefined) return [];
  const holder = await store.holder(session);
  const isHeld = holder !== undefined && holder.life !== "dead";
  if (isHeld) {
    await systemClock.wait(WRITING_MS);
    view = await viewSession(store, session);
    why = await publishedFault(context.home, view);
    if (why === undefined) return [];
  }
  const of = { session, place: { file: "checkpoints/metadata.json" } };
  const found: Check = { about: "sessions", status: "warning", of, finding: { code: "metadata", why } };
  if (isHeld) return [{ ...found, hint: finding("metadataHeldHint") }];
  if (mode === "check") return [{ ...found, hint: finding("metadataHint"), fixable: true }];
  const { values } = await context.settings();
  const failure = await publishCheckpoints(view, store, values.checkpointKeepCount);
  return failure === undefined
    ? [{ about: "sessions", status: "fixed", of, finding: finding("metadataWritten") }]
    : [{ ...found, finding: { code: "problem", problem: failure } }];
}
