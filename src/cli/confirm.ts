import { WorldlineError } from "../record/error.ts";
import { ask, canAsk } from "./ask.ts";
import type { Frame } from "./command/frame.ts";

export interface Consent {
  /** What is about to happen, as a question: "Delete 3 sessions?" */
  readonly question: string;
  /** Whether `--yes` was given. */
  readonly yes: "given" | "absent";
}

/**
 * Returns when the person agreed. Without one to ask only `--yes` counts as agreement; anything but a
 * clear yes is a no.
 */
export async function requireConsent(consent: Consent, frame: Frame): Promise<void> {
  if (consent.yes === "given") return;
  if (!canAsk(frame)) {
    throw new WorldlineError("needs-consent", { question: consent.question });
  }
  const answer = await ask(frame.strings.confirm.question(consent.question), frame);
  if (!/^\s*y(es)?\s*$/iu.test(answer ?? "")) {
    throw new WorldlineError("cancelled", { left: "unchanged" });
  }
}
