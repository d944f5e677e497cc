import { inspect } from "node:util";
import type { Environment } from "../app/places/home.ts";
import { type ErrorCode, isWorldlineError } from "../record/error.ts";
import { withoutSecrets } from "../stores/store-address.ts";
import type { Strings } from "../strings/strings.ts";
import { wordingIn } from "../strings/wording.ts";
import { shellWording } from "./command-again.ts";
import type { CommonOptions } from "./frame.ts";

/** An error in the form that is shown to users and in `--json`. */
export interface Failure {
  readonly code: ErrorCode | "UNEXPECTED";
  /** The exact reason. Programs that render the error themselves need the reason and `params`. */
  readonly reason?: string;
  readonly params?: unknown;
  readonly message: string;
  readonly hint?: string;
  /** The stack trace with all causes; present only if WORLDLINE_DEBUG=1 is set. */
  readonly trace?: string;
}

export interface FailureScene {
  readonly environment: Environment;
  /** The strings in the user's language; in English for `--json`. */
  readonly strings: Pick<Strings, "output" | "reasons">;
  /** The options that the user typed, to the extent that they could be parsed. */
  readonly common: CommonOptions | undefined;
}

/**
 * Converts an error for output. Removes the passwords in store addresses from the message, no matter where the error
 * was created.
 */
export function failureOf(error: unknown, { environment, strings, common }: FailureScene): Failure {
  const trace = environment["WORLDLINE_DEBUG"] === "1" ? { trace: withoutSecrets(inspect(error)) } : {};
  if (isWorldlineError(error)) {
    const { code, reason, params } = error;
    const wording = wordingIn(strings.reasons, shellWording(common));
    const hint = withoutSecrets(wording.hint(error));
    return {
      code,
      reason,
      params: plainly(params),
      message: withoutSecrets(wording.message(error)),
      ...(hint === "" ? {} : { hint }),
      ...trace,
    };
  }
  const message = withoutSecrets(error instanceof Error ? error.message : String(error));
  const { unexpected, unexpectedHint } = strings.output;
  return { code: "UNEXPECTED", message: unexpected(message), hint: unexpectedHint, ...trace };
}

/**
 * Converts parameters to JSON, without passwords. An error among the parameters is replaced by its reason and
 * parameters.
 */
function plainly(value: unknown): unknown {
  if (typeof value === "string") return withoutSecrets(value);
  if (isWorldlineError(value)) {
    return { code: value.code, reason: value.reason, params: plainly(value.params) };
  }
  if (value instanceof Error) return withoutSecrets(value.message);
  if (Array.isArray(value)) return value.map(plainly);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plainly(each)]));
}
