import type { SettledRestore } from "../../machine/files/requests.ts";
import type { Holding } from "../../machine/open.ts";
import type { ProblemPlace } from "../../machine/store-health.ts";
import type { Owner } from "../../ports/lease.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError, type Remark } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import type { Problem } from "../../strings/errors/texts.ts";
import type { Strings } from "../../strings/strings.ts";
import type { AppContext } from "../context.ts";
import type { SettingsWarning } from "../settings/layers.ts";

/** One item that was checked, and the result. */
export interface Check {
  readonly about: "versions" | "home" | "store" | "settings" | "sessions" | "files" | "trash";
  /** "note": no problem, but useful to know. "fixed": there was a problem, which has been repaired. */
  readonly status: "ok" | "note" | "warning" | "error" | "fixed";
  readonly finding: Finding;
  /** The session and the place in the session that the finding is about. */
  readonly of?: { readonly session: SessionId; readonly place: ProblemPlace };
  /** How the user can fix the problem. If absent, the problem's own hint applies. */
  readonly hint?: Finding | undefined;
  /** Whether `fix` would repair the problem. */
  readonly fixable?: true;
}

type Words = Strings["doctor"];

/** A `doctor` message in the catalogue, given by its name and parameters. */
type NamedFinding = {
  [Code in keyof Words]: Words[Code] extends string
    ? { readonly code: Code; readonly given: readonly [] }
    : Words[Code] extends (...given: infer Given) => string
      ? { readonly code: Code; readonly given: Readonly<Given> }
      : never;
}[keyof Words];

/** The result of a check, as a code with its parameters. */
export type Finding =
  | NamedFinding
  | { readonly code: "sdkReady" | "sdkUnknown"; readonly given: readonly [version: string, folder: string] }
  | { readonly code: "metadata"; readonly why: keyof Words["metadata"] }
  | { readonly code: "lock"; readonly lock: LockFinding; readonly owner: Owner }
  | { readonly code: "setting"; readonly warning: SettingsWarning }
  | { readonly code: "restore"; readonly restore: SettledRestore }
  | { readonly code: "problem"; readonly problem: Problem }
  /** Several remarks, shown one after another. */
  | { readonly code: "remarks"; readonly remarks: readonly Remark[] };

/** The states of a lock whose owner is known. */
type LockFinding = "inUse" | "lockOfDead" | "lockRemoved" | "lockElsewhere" | "lockTakenOver";

export function finding<Code extends NamedFinding["code"]>(
  code: Code,
  ...given: Extract<NamedFinding, { readonly code: Code }>["given"]
): Finding {
  return { code, given } as unknown as NamedFinding;
}

export type Mode = "check" | "fix";

/** Everything that is needed to check a store. */
export interface DoctorContext {
  readonly context: AppContext;
  readonly store: LogStore;
  readonly mode: Mode;
  /** The sessions to check; undefined for all. */
  readonly wanted: readonly SessionId[] | undefined;
  /** Called before each session is examined, and with "done" after the last. */
  readonly onSession: (progress: { readonly done: number; readonly of: number } | "done") => void;
}

/**
 * Returns the options for holding a session during a repair. A repair can take over a lock that does not name its
 * owner, because such a lock is one of the problems to repair.
 */
export function holdingOf({ common }: AppContext): Holding {
  return {
    name: "worldline doctor",
    takeOver: common.takeOver === "yes" ? "yes" : "unreadable",
    room: "reserve",
  };
}

/** If a check itself throws, reports the error, so that the other checks still run. */
export async function orError(
  about: Check["about"],
  check: () => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    return await check();
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return [failed(about, error)];
  }
}

export function failed(about: Check["about"], problem: Problem): Check {
  return { about, status: "error", finding: { code: "problem", problem } };
}
