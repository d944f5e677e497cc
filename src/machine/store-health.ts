import type { Owner } from "../ports/lease.ts";
import type { Damage, LogStore, Recovery } from "../ports/log-store.ts";
import { FORMAT_VERSION } from "../record/entry.ts";
import { isWorldlineError, reasonFields, remarkOf } from "../record/error.ts";
import type { SessionId } from "../record/ids.ts";
import { checkArguments, option } from "../record/options.ts";
import type { Json } from "../record/parts.ts";
import { type Holding, viewSession } from "./open.ts";
import type { SessionView } from "./view.ts";

/** A problem with a session, described so that a user can act on it. */
export interface Problem {
  readonly session: SessionId;
  /** "error": data is lost. "warning": the problem will cause trouble. "note": for information only. */
  readonly severity: "error" | "warning" | "note";
  readonly what: ProblemKind;
  /** The file and line within the session; empty if the problem concerns the whole session. */
  readonly where: string;
  readonly message: string;
  /** The code and parameters that the message was rendered from, if they are known; see `Remark`. */
  readonly reason?: string;
  readonly params?: Json;
  /** What the user can do. */
  readonly hint: string;
  /** "recover": `repairStore` can fix it. "none": it cannot be fixed automatically. */
  readonly fix: "recover" | "none";
}

type ProblemKind =
  | "blob"
  | "file"
  | "foreign"
  | "header"
  | "line"
  | "missing"
  | "newer-format"
  | "repeated"
  | "torn-tail"
  | "unfinished"
  | "unopenable";

/** Whether the two problems are the same. Line numbers are ignored, because they may have changed. */
function isSameProblem(one: Problem, other: Problem): boolean {
  return one.session === other.session && one.what === other.what && one.where === other.where;
}

interface StoreCheck {
  /** How many sessions were checked. */
  readonly sessions: number;
  readonly problems: readonly Problem[];
}

/**
 * Reads every line and blob of every session, or of the given sessions, and returns the problems. Does not change
 * anything.
 */
export async function checkStore(store: LogStore, wanted?: readonly SessionId[]): Promise<StoreCheck> {
  checkArguments("checkStore", {
    store: [store, option.openStore],
    wanted: [wanted, option.optional(option.listOf(option.text))],
  });
  const sessions = wanted ?? (await store.list());
  const problems: Problem[] = [];
  for (const session of sessions) problems.push(...(await checkSession(store, session)));
  return { sessions: sessions.length, problems };
}

/**
 * Checks a session. If the session cannot be read, returns that as a problem, so that the other sessions are still
 * checked.
 */
async function checkSession(store: LogStore, session: SessionId): Promise<Problem[]> {
  try {
    const damage = await store.verify(session);
    const view = await viewSession(store, session);
    return [
      ...damage.map((one) =>
        damageProblem(session, one, view.outline.at(1) === undefined ? "lost" : "there"),
      ),
      ...formatProblems(view),
      ...(await unfinishedProblems(view)),
    ];
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return [
      {
        session,
        severity: "error",
        what: "unopenable",
        where: "",
        message: error.message,
        ...reasonFields(remarkOf(error)),
        hint: error.hint ?? "Nothing here can mend it.",
        fix: "none",
      },
    ];
  }
}

function formatProblems({ id, header, outline }: SessionView): Problem[] {
  const common = { session: id, where: "", fix: "none" } as const;
  const problems: Problem[] = [];
  if (header.version > FORMAT_VERSION) {
    problems.push({
      ...common,
      severity: "warning",
      what: "newer-format",
      message: `It was written by a newer Worldline (format ${header.version}, this one writes ${FORMAT_VERSION}).`,
      hint: "It can be read but not continued here. Update Worldline.",
    });
  }
  const foreign = outline.ofKind("foreign").length;
  if (foreign > 0) {
    problems.push({
      ...common,
      severity: "note",
      what: "foreign",
      message: `${foreign} entries are of kinds that this version does not know. They are kept and passed over.`,
      hint: "To see them, update Worldline.",
    });
  }
  return problems;
}

async function unfinishedProblems(view: SessionView): Promise<Problem[]> {
  const unfinished = await view.unfinished();
  if (unfinished === undefined) return [];
  const calls = unfinished.calls.map((call) => call.name).join(", ");
  return [
    {
      session: view.id,
      severity: "note",
      what: "unfinished",
      where: unfinished.step > 0 ? `step ${unfinished.step}` : "",
      message: `Tool calls were started and have not finished: ${calls}. They may or may not have taken effect.`,
      hint: `If nothing works on it now, see how far they came: worldline log --session ${view.id}, or worldline sessions show ${view.id}`,
      fix: "none",
    },
  ];
}

/** The outcome of repairing one problem. */
interface RepairResult {
  readonly problem: Problem;
  readonly outcome: "fixed" | "not-fixed";
  /** What was done, or why nothing could be done. */
  readonly message: string;
}

/**
 * Repairs a problem as far as possible, and checks the session again. "fixed" means that the problem no longer exists.
 */
export async function repairStore(
  store: LogStore,
  problem: Problem,
  holding: Holding,
): Promise<RepairResult> {
  checkArguments("repairStore", {
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
  const { problems } = await checkStore(store, [problem.session]);
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

type Verdict = Pick<Problem, "severity" | "hint" | "fix">;

const LOST_FOR_GOOD = "It cannot be brought back from here; the rest of the session is not affected.";

const verdicts: Readonly<Record<Damage["what"], Verdict>> = {
  line: {
    severity: "error",
    hint: `${LOST_FOR_GOOD} A copy of the file from elsewhere, such as a backup, may still have this line.`,
    fix: "none",
  },
  missing: { severity: "error", hint: LOST_FOR_GOOD, fix: "none" },
  repeated: { severity: "note", hint: "The first of them counts. There is nothing to do.", fix: "none" },
  "torn-tail": {
    severity: "warning",
    hint: "A crash cut the last write. Setting it aside (it is kept) is done by `worldline doctor --fix`, or when the session is next opened.",
    fix: "recover",
  },
  blob: {
    severity: "error",
    hint: `A long text is lost, and is shown as lost. ${LOST_FOR_GOOD}`,
    fix: "none",
  },
  header: {
    severity: "warning",
    hint: "The first line stands twice, and one of the two is still there. Fork the session to have both again.",
    fix: "none",
  },
  file: { severity: "error", hint: `${LOST_FOR_GOOD} Put the file back if you have it.`, fix: "none" },
};

/** `first`: whether the session's first line can still be read, either from the log or from its copy. */
function damageProblem(session: SessionId, damage: Damage, first: "there" | "lost"): Problem {
  const line = damage.line > 0 ? `line ${damage.line}` : "";
  const where = [damage.file, line].filter((word) => word !== "").join(", ");
  const verdict = damage.what === "header" && first === "lost" ? bothLost(session) : verdicts[damage.what];
  const { why: message, ...made } = damage;
  return { session, what: damage.what, where, message, ...reasonFields(made), ...verdict };
}

function bothLost(session: SessionId): Verdict {
  return {
    severity: "error",
    hint: `The first line of the log is lost too, and with it where the session belongs. What is left can be read: worldline log --session ${session}, and if that is nothing: worldline sessions delete ${session}`,
    fix: "none",
  };
}
