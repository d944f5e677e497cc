import { heard } from "../../../../app/context.ts";
import type { Problem } from "../../../../machine/store-health.ts";
import { examine, heal } from "../../../../machine/store-health.ts";
import type { SessionId } from "../../../../record/ids.ts";
import { remarkText } from "../../../../strings/errors/wording.ts";
import { openProgress } from "../../../output.ts";
import { type Check, holdingOf, orError, type SessionsExam } from "./check.ts";
import { lockChecks } from "./lock-checks.ts";
import { metadataChecks } from "./metadata-checks.ts";

export async function sessionChecks(exam: SessionsExam): Promise<readonly Check[]> {
  const { frame, store } = exam;
  const { doctor } = frame.strings;
  const sessions = exam.wanted ?? (await store.list());
  const progress = openProgress(frame);
  const checks: Check[] = [];
  for (const [index, session] of sessions.entries()) {
    progress.show(doctor.examining(index + 1, sessions.length));
    checks.push(...(await orError("sessions", async () => checksOf(exam, session))));
  }
  progress.clear();
  const isFine = checks.every(({ status }) => status === "note");
  const fine: Check = { about: "sessions", status: "ok", message: doctor.sessionsFine(sessions.length) };
  return isFine ? [fine, ...checks] : checks;
}

/** Mending one session is one piece of work: Ctrl-C waits for its end. */
async function checksOf(exam: SessionsExam, session: SessionId): Promise<readonly Check[]> {
  const { problems } = await examine(exam.store, [session]);
  const mend = async () => {
    const checks: Check[] = [];
    for (const problem of problems) checks.push(await checkOf(exam, problem));
    return [...checks, ...(await lockChecks(exam, session)), ...(await metadataChecks(exam, session))];
  };
  return exam.mode === "fix" ? heard(exam.frame, mend) : mend();
}

async function checkOf({ frame, store, mode }: SessionsExam, problem: Problem): Promise<Check> {
  const { session, where, severity, message, reason, params, hint, fix } = problem;
  const about = (text: string) => frame.strings.doctor.about(session, where, text);
  const said = remarkText(frame.strings, { why: message, reason, params });
  const found: Check = { about: "sessions", status: severity, message: about(said), hint };
  if (fix === "none") return found;
  if (mode === "look") return { ...found, fixable: true };
  const healing = await heal(store, problem, holdingOf(frame));
  if (healing.outcome === "fixed")
    return { about: "sessions", status: "fixed", message: about(healing.message) };
  return { ...found, hint: healing.message };
}
