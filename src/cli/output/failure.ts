import { inspect } from "node:util";
import type { Environment } from "../../app/places/home.ts";
import { type ErrorCode, isWorldlineError } from "../../record/error.ts";
import { withoutSecrets } from "../../stores/store-address.ts";

/** An error as the person and `--json` get it. */
export interface Failure {
  readonly code: ErrorCode | "UNEXPECTED";
  readonly message: string;
  readonly hint?: string;
  /** Where it came from, with its causes; only when WORLDLINE_DEBUG=1 asks for it. */
  readonly trace?: string;
}

/** Whoever made the error, no password of a store's address is in what is said of it. */
export function failureOf(error: unknown, environment: Environment): Failure {
  const trace = environment["WORLDLINE_DEBUG"] === "1" ? { trace: withoutSecrets(inspect(error)) } : {};
  if (isWorldlineError(error)) {
    const hint = error.hint === undefined ? {} : { hint: withoutSecrets(error.hint) };
    return { code: error.code, message: withoutSecrets(error.message), ...hint, ...trace };
  }
  const message = withoutSecrets(error instanceof Error ? error.message : String(error));
  return { code: "UNEXPECTED", message, hint: unexpectedHint, ...trace };
}

const unexpectedHint =
  "This should not have happened. Run it again with WORLDLINE_DEBUG=1 to see where it came from, and report that.";
