import type { AppExtras } from "../../../app/app.ts";
import type { Environment } from "../../../app/places/home.ts";
import { loadFindSample, loadSampleProject } from "../../../demonstrations.ts";
import type { Frame, Screen } from "../../command/frame.ts";
import type { ExitCode } from "../../exit.ts";
import { commandAgain } from "../../places/command-again.ts";
import type { Wish } from "./wish.ts";

/** Somebody else wanted it to end. */
const CANCELLED: ExitCode = 130;

/** Opens the screen, and stays until the person leaves. Nothing of it remains but how to come back. */
export async function openTerminal(frame: Frame, screen: Screen, wish: Wish): Promise<ExitCode> {
  const { strings, surroundings, output } = frame;
  const { prompt } = wish;
  // Who is to choose a session does so on the screen, which must stand on one by then.
  const isToPick = wish.resume.how === "resume" && wish.resume.wanted === undefined;
  const settled: Wish = isToPick ? { ...wish, resume: { how: "new" }, fork: "no" } : wish;
  const told = new AbortController();
  // Keys are no signals there: one comes from outside, and is a wish to leave; a second one does not wait.
  const release = surroundings.onInterrupt(() => {
    if (told.signal.aborted) process.exit(CANCELLED);
    told.abort();
  });
  const { resume, how, unsent } = await screen
    .run({
      strings,
      told: told.signal,
      shellCommand: (words) => commandAgain(frame.common, words),
      environment: { ...surroundings.environment },
      ...(prompt === undefined ? {} : { firstPrompt: prompt }),
      ...(isToPick ? { pick: "session" } : {}),
      // The agent, the stores and the providers are loaded behind the first picture.
      open: async (person, words) => {
        const { openApp } = await import("../../../app/app.ts");
        return openApp(frame, { request: settled, person, words, extras: extrasOf(frame) });
      },
    })
    .finally(release);
  if (unsent.length > 0) {
    const lines = unsent.map((text) => `  ${clipped(text)}`);
    output.answer({}, () => [strings.terminal.station.notSent(unsent.length), ...lines].join("\n"));
  }
  if (resume !== undefined)
    output.answer({}, () =>
      strings.terminal.station.resume(
        asStarted(commandAgain(frame.common, `-r ${resume}`), surroundings.environment),
      ),
    );
  if (how === "hurried") {
    await output.finish();
    // What was not closed must not keep the program there.
    process.exit(CANCELLED);
  }
  return told.signal.aborted ? CANCELLED : 0;
}

/** What the screen shows of the command line, loaded when it is asked for. */
export function extrasOf(frame: Frame): AppExtras {
  return {
    ask: async (current, words) => (await import("../../ask-command.ts")).askCommand(current, words),
    findInSample: async (tell, signal) => (await loadFindSample()).findInSample(frame, tell, signal),
    makeSample: async (folder) => (await loadSampleProject()).makeSample(folder),
  };
}

const MAX_UNSENT_CHARACTERS = 200;

/** On one line. */
function clipped(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  return line.length > MAX_UNSENT_CHARACTERS ? `${line.slice(0, MAX_UNSENT_CHARACTERS)}…` : line;
}

/** Who started it through npm, in its own folder, may not have it installed. */
function asStarted(command: string, environment: Environment): string {
  const isNpm =
    environment["npm_lifecycle_event"] === "start" && environment["npm_package_name"] === "worldline";
  return isNpm ? command.replace(/^worldline/u, "npm start --") : command;
}

/** The screen, where there is a terminal that it can be drawn on and whose keys can be read; and no document is wanted. */
export function screenOf({
  output,
  surroundings,
}: Pick<Frame, "output" | "surroundings">): Screen | undefined {
  const isUsable = isTerminal(surroundings) && !isDumb(surroundings) && output.mode === "text";
  return isUsable ? surroundings.screen : undefined;
}

/** Whether it is a terminal, but says of itself that nothing can be drawn on it. */
export function isDumb(surroundings: Frame["surroundings"]): boolean {
  return isTerminal(surroundings) && surroundings.environment["TERM"] === "dumb";
}

function isTerminal({ stdin, stdout }: Frame["surroundings"]): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}
