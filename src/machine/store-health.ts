import type { Owner } from "../ports/lease.ts";
import type { Damage, LogStore, Recovery } from "../ports/log-store.ts";
import { FORMAT_VERSION } from "../record/entry.ts";
import { isWorldlineError, type Remark, reasonFields, remark, remarkOf } from "../record/error.ts";
import type { SessionId } from "../record/ids.ts";
import { checkArguments, option } from "../record/options.ts";
import type { Json } from "../record/parts.ts";
import { type Holding, viewSession } from "./open.ts";
import type { SessionView } from "./view.ts";

/** A problem with a session, described so that a user can act on it. */
export interface Problem {
  readonly session: SessionId;
  /** "error": data is lost. "warning": the problem will cause other problems later. "note": for information only. */
  readonly severity: "error" | "warning" | "note";
  readonly what: ProblemKind;
  /** The location in English, such as "log.jsonl, line 8"; empty if the problem concerns the whole session. */
  readonly where: string;
  /** The same location as structured data. */
  readonly place: ProblemPlace;
  readonly message: string;
  /** The code and parameters that the message was rendered from, if they are known; see `Remark`. */
  readonly reason?: string;
  readonly params?: Json;
  /** What the user can do about the problem. */
  readonly hint: string;
  /** The hint with its code and parameters; absent if the hint comes from `reason`. */
  readonly advice?: Remark;
  /** "recover": `repairStore` can fix the problem. "none": the problem cannot be fixed automatically. */
  readonly fix: "recover" | "none";
}

/** The location of a problem within its session; an empty object if the problem concerns the whole session. */
export interface ProblemPlace {
  readonly file?: string;
  readonly line?: number;
  readonly step?: number;
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

/** Checks whether the two problems are the same. Line numbers are ignored, because they may have changed. */
function isSameProblem(one: Problem, other: Problem): boolean {
  const isSamePlace = one.place.file === other.place.file && one.place.step === other.place.step;
  return one.session === other.session && one.what === other.what && isSamePlace;
}

interface StoreCheck {
  /** The number of sessions that were checked. */
  readonly sessions: number;
  readonly problems: readonly Problem[];
}

/**
 * Reads every line and blob of all sessions or of the given sessions, and returns the problems found. Changes nothing.
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

function stated({ why: message, ...made }: Remark): Pick<Problem, "message" | "reason" | "params"> {
  return { message, ...reasonFields(made) };
}

function advised(advice: Remark): Pick<Problem, "hint" | "advice"> {
  return { hint: advice.why, advice };
}

/**
 * Checks a session. If the session cannot be read, returns this as a problem instead of throwing, so that the other
 * sessions are still checked.
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
        place: {},
        message: error.message,
        ...reasonFields(remarkOf(error)),
        ...(error.hint === undefined ? advised(remark("health-unrepairable")) : { hint: error.hint }),
        fix: "none",
      },
    ];
  }
}

function formatProblems({ id, header, outline }: SessionView): Problem[] {
  const common = { session: id, where: "", place: {}, fix: "none" } as const;
  const problems: Problem[] = [];
  if (header.version > FORMAT_VERSION) {
    problems.push({
      ...common,
      severity: "warning",
      what: "newer-format",
      ...stated(remark("health-newer-format", { format: header.version, ours: FORMAT_VERSION })),
      ...advised(remark("health-newer-format-hint")),
    });
  }
  const foreign = outline.ofKind("foreign").length;
  if (foreign > 0) {
    problems.push({
      ...common,
      severity: "note",
      what: "foreign",
      ...stated(remark("health-foreign", { entries: foreign })),
      ...advised(remark("health-foreign-hint")),
    });
  }
  return problems;
}

async function unfinishedProblems(view: SessionView): Promise<Problem[]> {
  const unfinished = await view.unfinished();
  if (unfinished === undefined) return [];
  return [
    {
      session: view.id,
      severity: "note",
      what: "unfinished",
      where: unfinished.step > 0 ? `step ${unfinished.step}` : "",
      place: unfinished.step > 0 ? { step: unfinished.step } : {},
      ...stated(remark("health-unfinished", { calls: unfinished.calls.map((call) => call.name) })),
      ...advised(remark("health-unfinished-hint", { session: view.id })),
      fix: "none",
    },
  ];
}

/** The outcome of repairing one problem. */
interface RepairResult {
  readonly problem: Problem;
  readonly outcome: "fixed" | "not-fixed";
  /** What was done to fix the problem, or why it could not be fixed. */
  readonly message: string;
  /** The same text as codes with parameters, one for each sentence. */
  readonly remarks: readonly Remark[];
}

/**
 * Repairs as much of a problem as possible and then checks the session again. "fixed" means that the problem no longer
 * exists.
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
  const result = (outcome: RepairResult["outcome"], remarks: readonly Remark[]): RepairResult => {
    return { problem, outcome, message: remarks.map(({ why }) => why).join(" "), remarks };
  };
  if (problem.fix === "none") return result("not-fixed", [problem.advice ?? { why: problem.hint }]);
  let done: readonly Remark[];
  try {
    done = await recover(store, problem, holding);
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    const message = [error.message, error.hint].join(" ").trim();
    return { ...result("not-fixed", [remarkOf(error)]), message };
  }
  const { problems } = await checkStore(store, [problem.session]);
  const isStillThere = problems.some((one) => isSameProblem(one, problem));
  return isStillThere ? result("not-fixed", [...done, remark("health-still-there")]) : result("fixed", done);
}

async function recover(store: LogStore, problem: Problem, holding: Holding): Promise<readonly Remark[]> {
  const lease = await store.lease(problem.session, { waitMs: 0, ...holding });
  try {
    return repairsOf(await store.recover(problem.session), lease.takenFrom);
  } finally {
    await lease.release();
  }
}

function repairsOf({ setAside }: Recovery, takenFrom: Owner | undefined): readonly Remark[] {
  const moved = setAside.map(({ file, bytes }) => remark("health-set-aside", { file, bytes }));
  const lock = takenFrom === undefined ? [] : [remark("health-lock-removed", { owner: takenFrom.name })];
  return [...(moved.length === 0 ? [remark("health-line-ended")] : moved), ...lock];
}

type Verdict = Pick<Problem, "severity" | "hint" | "advice" | "fix">;

const verdicts: Readonly<Record<Damage["what"], Verdict>> = {
  line: { severity: "error", ...advised(remark("health-line-hint")), fix: "none" },
  missing: { severity: "error", ...advised(remark("health-lost-hint")), fix: "none" },
  repeated: { severity: "note", ...advised(remark("health-repeated-hint")), fix: "none" },
  "torn-tail": { severity: "warning", ...advised(remark("health-torn-tail-hint")), fix: "recover" },
  blob: { severity: "error", ...advised(remark("health-blob-hint")), fix: "none" },
  header: { severity: "warning", ...advised(remark("health-header-hint")), fix: "none" },
  file: { severity: "error", ...advised(remark("health-file-hint")), fix: "none" },
};

/**
 * Converts damage to a problem. `first` is "there" if the session's first line can still be read, either from the log
 * or from its copy.
 */
function damageProblem(session: SessionId, damage: Damage, first: "there" | "lost"): Problem {
  const line = damage.line > 0 ? `line ${damage.line}` : "";
  const where = [damage.file, line].filter((word) => word !== "").join(", ");
  const verdict = damage.what === "header" && first === "lost" ? bothLost(session) : verdicts[damage.what];
  const { why: message, ...made } = damage;
  const place = {
    ...(damage.file === "" ? {} : { file: damage.file }),
    ...(damage.line > 0 ? { line: damage.line } : {}),
  };
  return { session, what: damage.what, where, place, message, ...reasonFields(made), ...verdict };
}

function bothLost(session: SessionId): Verdict {
  return {
    severity: "error",
    ...advised(remark("health-headers-lost-hint", { session })),
    fix: "none",
  };
}
