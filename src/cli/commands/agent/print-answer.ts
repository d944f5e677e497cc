import { contextOfRequest } from "../../../app/agent/context-of-request.ts";
import type { Frame } from "../../command/frame.ts";
import type { ExitCode } from "../../exit.ts";
import { pickSession } from "./pick-session.ts";
import { readPrompt } from "./prompt.ts";
import { runTurn } from "./run-turn.ts";
import type { Wish } from "./wish.ts";

/** One prompt, one answer, without a screen. */
export async function printAnswer(bare: Frame, wish: Wish, words: readonly string[]): Promise<ExitCode> {
  const frame = await contextOfRequest(bare, wish);
  // A broken settings file is said before anybody is asked for anything.
  await frame.settings();
  const { text: prompt, source } = await readPrompt(frame, words);
  const settled = { ...(await withSessionChosen(frame, wish)), prompt };
  return runTurn(frame, settled, { work: (opened) => opened.prompt(prompt, source) });
}

async function withSessionChosen(frame: Frame, wish: Wish): Promise<Wish> {
  const { resume } = wish;
  if (resume.how !== "resume" || resume.wanted !== undefined) return wish;
  return { ...wish, resume: { how: "resume", wanted: await pickSession(frame) } };
}
