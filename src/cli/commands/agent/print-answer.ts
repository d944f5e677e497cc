import type { AgentRequest } from "../../../app/agent/agent-request.ts";
import type { AskedDenial } from "../../../app/agent/headless-user.ts";
import { recapOnResume } from "../../../app/queries/recap.ts";
import { contextOfRequest } from "../../../app/sessions/agent-session.ts";
import { sessionRows } from "../../../app/sessions/session-rows.ts";
import { openStore } from "../../../app/sessions/store.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { SessionId } from "../../../record/ids.ts";
import { oneLine } from "../../../record/visible-text.ts";
import { glyphsFor } from "../../../show/style.ts";
import { table } from "../../../show/table.ts";
import { shortened } from "../../../show/text-width.ts";
import { relativeTime } from "../../../show/time.ts";
import { askForRow, canAsk } from "../../ask.ts";
import type { ExitCode } from "../../exit.ts";
import type { Frame } from "../../frame.ts";
import { columnsOf } from "../../output.ts";
import { readPrompt } from "../../standard-input.ts";
import type { AgentCall } from "./agent.ts";
import { printPerson } from "./print-person.ts";
import { type PrintedTurn, printTurn } from "./print-turn.ts";

/** Answers one prompt without a screen. */
export async function printAnswer(bare: Frame, call: AgentCall, words: readonly string[]): Promise<ExitCode> {
  const frame = await contextOfRequest(bare, call.request);
  // Reports an invalid settings file before the user has to type anything.
  await frame.settings();
  const { text: prompt, source } = await readPrompt(frame, words);
  const request = await withSessionChosen(frame, call.request);
  return runTurn(frame, { ...call, request }, { work: (opened) => opened.prompt(prompt, source) });
}

async function withSessionChosen(frame: Frame, request: AgentRequest): Promise<AgentRequest> {
  const { resume } = request;
  if (resume.how !== "resume" || resume.wanted !== undefined) return request;
  return { ...request, resume: { how: "resume", wanted: await pickSession(frame) } };
}

interface TurnToRun extends Pick<PrintedTurn, "work"> {
  /** "shown": the user has already seen the recap. */
  readonly recap?: "unseen" | "shown";
}

/** Opens the agent and runs one turn in print mode. */
export async function runTurn(
  frame: Frame,
  { request, outputFormat }: Pick<AgentCall, "request" | "outputFormat">,
  { work, recap = "unseen" }: TurnToRun,
): Promise<ExitCode> {
  const denied: AskedDenial[] = [];
  const plans: string[] = [];
  const person = printPerson(
    (denial) => denied.push(denial),
    (plan) => plans.push(plan),
  );
  // Imported here because the agent loads providers and tools, which a refused request does not need.
  const { startAgent } = await import("../../../app/agent/start-agent.ts");
  const opened = await startAgent(frame, { request, person });
  const display = opened.settings["backtrack.display"];
  return printTurn(frame, {
    ...{ opened, request, outputFormat, denied, plans, display, work },
    ...(recap === "shown" ? {} : { recap: async () => recapOnResume(opened.opened) }),
  });
}

const MAX_ROWS = 20;

/** Lets the user choose from the agent sessions in the workspace. */
async function pickSession(frame: Frame): Promise<SessionId> {
  if (!canAsk(frame)) throw new WorldlineError("which-session", {});
  const { strings, output, surroundings } = frame;
  const listed = await sessionRows(openStore(frame), await frame.workspace());
  const shown = listed.rows.filter(({ mode }) => mode === "agent").slice(0, MAX_ROWS);
  if (shown.length === 0) {
    throw new WorldlineError("no-session-of-an-agent", { workspace: await frame.workspace() });
  }
  const now = systemClock.now();
  const rows = shown.map(({ id, used, messages, title, unconfirmed }, index) => [
    String(index + 1),
    id,
    relativeTime(used, now, strings.time),
    strings.sessions.messages(messages),
    [
      ...(unconfirmed === undefined ? [] : [strings.sessions.unconfirmed]),
      oneLine(title === "" ? strings.sessions.untitled : title),
    ].join(" "),
  ]);
  output.notice(strings.agent.chooseSession);
  const { ellipsis } = glyphsFor(surroundings.environment);
  const columns = columnsOf(surroundings.stderr);
  for (const line of table(rows)) output.notice(shortened(`  ${line}`, columns, ellipsis));
  const picked = shown[(await askForRow(frame, shown.length)) - 1];
  if (picked === undefined) throw new WorldlineError("cancelled", { left: "unchosen" });
  return picked.id;
}
