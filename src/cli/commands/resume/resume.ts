import { refuseExecution } from "../../../app/agent/refuse-execution.ts";
import { namedSession, openToAct } from "../../../app/sessions/choose-session.ts";
import { contextOfSession } from "../../../app/sessions/context-of-session.ts";
import { openStore } from "../../../app/sessions/ground.ts";
import { holderIn, workerIn } from "../../../app/sessions/holder.ts";
import { sessionsHere } from "../../../app/sessions/sessions-here.ts";
import { withSession } from "../../../app/sessions/with-session.ts";
import { recapOf } from "../../../machine/looking/recap.ts";
import type { SessionView } from "../../../machine/view.ts";
import { WorldlineError } from "../../../record/error.ts";
import { recapText } from "../../../show/agent/recap-text.ts";
import { sessionName } from "../../../show/session-name.ts";
import type { Recap } from "../../../timeline/recap.ts";
import { canAsk } from "../../ask.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame, Screen } from "../../command/frame.ts";
import { flag, type OptionValues, optional, rest } from "../../command/parameters.ts";
import type { ExitCode } from "../../exit.ts";
import { openTerminal, screenOf } from "../agent/open-terminal.ts";
import { agentOptions } from "../agent/options.ts";
import type { PrintedTurn } from "../agent/print/print-turn.ts";
import { runTurn } from "../agent/run-turn.ts";
import { type Wish, wishOf } from "../agent/wish.ts";
import { askHow, choicesOf, type How, howOf } from "./how.ts";
import { retryStep } from "./retry-step.ts";
import { rewindFiles } from "./rewind-files.ts";
import { workedOn } from "./worked-on.ts";

const { model, permissionMode, allow, deny, host, maxSteps, outputFormat } = agentOptions;

const options = {
  continue: flag("go on with the turn that was cut, from its last good step"),
  retry: flag(
    "do the step that was cut again; where the provider fails, up to recovery.maxRetries times more",
  ),
  rewindFiles: flag("take the files back to how they were before the step that was cut"),
  yes: flag("with --rewind-files: do not ask"),
  ...{ model, permissionMode, allow, deny, host, maxSteps, outputFormat },
};

export const resume = defineCommand({
  description:
    "Says where a session stands: what is done, what is open, what comes next; and, when its last turn was cut, at which " +
    "step and in which tool call. Then it goes on as you choose. Nothing is run again by itself.",
  arguments: {
    session: optional(
      "its id, the beginning of it, or its title (default: the agent's session last used here)",
    ),
    prompt: rest("what to do next, instead of going on with the turn that was cut"),
  },
  options,
  examples: [
    { command: "worldline resume", meaning: "where the last session stands, and what can be done" },
    { command: "worldline resume k3f9 --continue", meaning: "go on with the turn that was cut" },
    { command: "worldline resume k3f9 --rewind-files", meaning: "undo what the cut step did to the files" },
    { command: 'worldline resume k3f9 "leave that, fix the tests"', meaning: "something else" },
  ],
  run: async ({ arguments: { session, prompt: words }, options: given, frame: bare }): Promise<ExitCode> => {
    const prompt = words.join(" ").trim();
    const wanted = howOf(given, prompt);
    const screen = screenOf(bare);
    if (wanted === undefined && !given.yes && given.outputFormat === undefined && screen !== undefined) {
      return resumeOnScreen(bare, screen, session, given);
    }
    const store = openStore(bare);
    const here = await withSession(bare, store, session);
    const view = await sessionOf(here);
    const frame = await contextOfSession(here, view.header);
    const recap = await recapOf(view, await holderIn(store, view.id));
    const worker = await workerIn(store, view.id);
    if (worker !== undefined) return workedOn(frame, { view, recap, worker, wanted });
    if (wanted === undefined) await tell(frame, view, recap);
    const how = wanted ?? (await askHow(frame, recap.open.turn));
    const told = wanted === undefined ? "told" : "untold";
    return how === undefined ? 0 : goOn(frame, { view, recap, how, given, prompt, told });
  },
});

/** The recap, and the choices where a turn was cut, are shown there. */
async function resumeOnScreen(
  frame: Frame,
  screen: Screen,
  session: string | undefined,
  given: OptionValues<typeof options>,
): Promise<ExitCode> {
  const named = await withSession(frame, openStore(frame), session);
  const wish = wishFor(frame, "the last", given);
  const wanted = named.common.session;
  const resumed = wanted === undefined ? { how: "continue" as const } : { how: "resume" as const, wanted };
  return openTerminal(frame, screen, { ...wish, print: "no", resume: resumed });
}

async function sessionOf(frame: Frame): Promise<SessionView> {
  const store = openStore(frame);
  if (frame.common.session !== undefined) {
    const view = await openToAct(frame, store, frame.common.session);
    refuseExecution(view.header);
    return view;
  }
  const latest = (await sessionsHere(frame, store)).find(({ header }) => header.mode === "agent");
  if (latest !== undefined) return latest;
  const workspace = await frame.workspace();
  throw new WorldlineError("no-session-of-an-agent", { workspace });
}

async function tell(frame: Frame, view: SessionView, recap: Recap): Promise<void> {
  const { output, strings } = frame;
  const choices = choicesOf(frame, view.id, recap);
  const lines = [
    strings.resume.session(sessionName(await namedSession(view), strings)),
    recapText(recap, strings),
  ];
  output.answer({ session: view.id, ...recap, choices }, () => {
    if (canAsk(frame) && recap.open.turn.state === "cut") return lines.join("\n");
    const ways = choices.map(({ way, command }) => `  ${command}\n      ${strings.resume.choice[way]}`);
    return [...lines, strings.resume.choices, ...ways].join("\n");
  });
}

interface GoingOn {
  readonly view: SessionView;
  readonly recap: Recap;
  readonly how: How;
  readonly given: OptionValues<typeof options>;
  readonly prompt: string;
  /** Whether the person has just read the recap. */
  readonly told: "told" | "untold";
}

async function goOn(frame: Frame, { view, recap, how, given, prompt, told }: GoingOn): Promise<ExitCode> {
  const { turn } = recap.open;
  if (how === "rewind-files") return rewindFiles(frame, { view, turn, yes: given.yes ? "yes" : "no" });
  const wish = wishFor(frame, view.id, given);
  if (how === "prompt") {
    return runTurn(frame, { ...wish, prompt }, { work: (agent) => agent.prompt(prompt), recap: told });
  }
  if (turn.state === "idle") throw nothingCut(view.id);
  if (how === "continue")
    return runTurn(frame, wish, { work: (agent) => agent.resume("continue"), recap: told });
  const { values } = await frame.settings();
  const retries = values["recovery.maxRetries"];
  const work: PrintedTurn["work"] = (agent, signal) => retryStep(frame, agent, { retries, signal });
  return runTurn(frame, wish, { work, recap: told });
}

function wishFor(frame: Frame, id: string, given: OptionValues<typeof options>): Wish {
  const absent = {
    print: true,
    continue: false,
    fork: false,
    noSession: false,
    listSessions: false,
  } as const;
  const { common } = frame;
  return wishOf(
    { ...given, ...absent, resume: { value: id } },
    { common: { ...common, session: undefined } },
  );
}

function nothingCut(session: string): WorldlineError {
  return new WorldlineError("turn-has-ended", { session });
}
