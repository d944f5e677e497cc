import type { SettledRestore } from "../../machine/files/requests.ts";
import type { Holding } from "../../machine/open.ts";
import type { Owner } from "../../ports/lease.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import type { Problem } from "../../strings/errors/texts.ts";
import type { Strings } from "../../strings/strings.ts";
import type { AppContext } from "../context.ts";
import type { SettingsWarning } from "../settings/layers.ts";

/** One thing that was checked, and the result. */
export interface Check {
  readonly about: "versions" | "home" | "store" | "settings" | "sessions" | "files" | "trash";
  /** "note": good to know. "fixed": it was wrong and no longer is. */
  readonly status: "ok" | "note" | "warning" | "error" | "fixed";
  readonly finding: Finding;
  /** The session, and where in it, that the finding is about. */
  readonly of?: { readonly session: SessionId; readonly where: string };
  /** What the user can do; without one, a problem's own hint. */
  readonly hint?: Finding | undefined;
  /** Whether `fix` would repair it. */
  readonly fixable?: true;
}

type Words = Strings["doctor"];

/** A text of the catalogue's `doctor`, by its name and what it is made from. */
type NamedFinding = {
  [Code in keyof Words]: Words[Code] extends string
    ? { readonly code: Code; readonly given: readonly [] }
    : Words[Code] extends (...given: infer Given) => string
      ? { readonly code: Code; readonly given: Readonly<Given> }
      : never;
}[keyof Words];

/** What was found, as a code with its parameters. */
export type Finding =
  | NamedFinding
  | { readonly code: "sdkReady" | "sdkUnknown"; readonly given: readonly [version: string, folder: string] }
  | { readonly code: "metadata"; readonly why: keyof Words["metadata"] }
  | { readonly code: "lock"; readonly lock: LockFinding; readonly owner: Owner }
  | { readonly code: "setting"; readonly warning: SettingsWarning }
  | { readonly code: "restore"; readonly restore: SettledRestore }
  | { readonly code: "problem"; readonly problem: Problem }
  /** English words; with a reason they can be said in another language. */
  | {
      readonly code: "stated";
      readonly text: string;
      readonly reason?: string | undefined;
      readonly params?: unknown;
    };

/** What is said of a lock whose owner is known. */
type LockFinding = "inUse" | "lockOfDead" | "lockRemoved" | "lockElsewhere" | "lockTakenOver";

export function finding<Code extends NamedFinding["code"]>(
  code: Code,
  ...given: Extract<NamedFinding, { readonly code: Code }>["given"]
): Finding {
  return { code, given } as unknown as NamedFinding;
}

export type Mode = "check" | "fix";

/** What the checks of a store work on. */
export interface DoctorContext {
  readonly context: AppContext;
  readonly store: LogStore;
  readonly mode: Mode;
  /** Undefined for all sessions. */
  readonly wanted: readonly SessionId[] | undefined;
  /** Called before each session is examined, and with "done" after the last. */
  readonly onSession: (progress: { readonly done: number; readonly of: number } | "done") => void;
}

/** For repairs. A lock that does not name its owner is one of the things to repair. */
export function holdingOf({ common }: AppContext): Holding {
  return {
    name: "worldline doctor",
    takeOver: common.takeOver === "yes" ? "yes" : "unreadable",
    room: "reserve",
  };
}

/** A check that fails itself is one more error, and does not stop the others. */
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
