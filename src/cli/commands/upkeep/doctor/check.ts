import type { Holding } from "../../../../machine/open.ts";
import type { LogStore } from "../../../../ports/log-store.ts";
import { isWorldlineError } from "../../../../record/error.ts";
import type { SessionId } from "../../../../record/ids.ts";
import type { Frame } from "../../../frame.ts";

/** One thing that was looked at, and what came of it. */
export interface Check {
  readonly about: "versions" | "home" | "store" | "settings" | "sessions" | "files" | "trash";
  /** "note": good to know. "fixed": it was wrong and is not any more. */
  readonly status: "ok" | "note" | "warning" | "error" | "fixed";
  readonly message: string;
  /** What the person can do. */
  readonly hint?: string;
  /** Whether `--fix` would mend it. */
  readonly fixable?: true;
}

export type Mode = "look" | "fix";

export interface SessionsExam {
  readonly frame: Frame;
  readonly store: LogStore;
  readonly mode: Mode;
  /** Undefined for all. */
  readonly wanted: readonly SessionId[] | undefined;
}

/** To mend something. A lock that does not even say whose it is is itself one of the things to mend. */
export function holdingOf({ common }: Frame): Holding {
  return {
    name: "worldline doctor",
    takeOver: common.takeOver === "yes" ? "yes" : "unreadable",
    room: "reserve",
  };
}

/** What could not even be looked at is one error more, and does not keep the rest from being looked at. */
export async function orError(
  about: Check["about"],
  look: () => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    return await look();
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return [failed(about, error)];
  }
}

export function failed(
  about: Check["about"],
  { message, hint }: { message: string; hint?: string | undefined },
): Check {
  return { about, status: "error", message, ...(hint === undefined ? {} : { hint }) };
}
