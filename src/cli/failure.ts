import { inspect } from "node:util";
import type { Environment } from "../app/places/home.ts";
import { type ErrorCode, isWorldlineError } from "../record/error.ts";
import { withoutSecrets } from "../stores/store-address.ts";
import type { Strings } from "../strings/strings.ts";
import { wordingIn } from "../strings/wording.ts";
import { shellWording } from "./command-again.ts";
import type { CommonOptions } from "./frame.ts";

/** An error as the person and `--json` get it. */
export interface Failure {
  readonly code: ErrorCode | "UNEXPECTED";
  /** What exactly went wrong, and what was known of it: for programs that say it in their own words. */
  readonly reason?: string;
  readonly params?: unknown;
  readonly message: string;
  readonly hint?: string;
  /** Where it came from, with its causes; only when WORLDLINE_DEBUG=1 asks for it. */
  readonly trace?: string;
}

export interface FailureScene {
  readonly environment: Environment;
  /** In the person's language; English for `--json`. */
  readonly strings: Pick<Strings, "output" | "reasons">;
  /** What was typed, as far as it could be read. */
  readonly common: CommonOptions | undefined;
}

/** No password of a store's address is in the message, wherever the error was made. */
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

/** Parameters as JSON has them: without passwords, and of another error what it was made from. */
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
