import { WorldlineError } from "../../../record/error.ts";
import type { Recap } from "../../../timeline/recap.ts";
import type { TurnState } from "../../../timeline/turn-state.ts";
import { askAgain, canAsk } from "../../ask.ts";
import type { Frame } from "../../command/frame.ts";
import { commandAgain } from "../../places/command-again.ts";

/** How a session goes on. */
export type How = "continue" | "retry" | "rewind-files" | "prompt";

interface Given {
  readonly continue: boolean;
  readonly retry: boolean;
  readonly rewindFiles: boolean;
}

/** What the person has said on the command line; undefined where nothing. */
export function howOf(given: Given, prompt: string): How | undefined {
  const ways: readonly (readonly [How, boolean])[] = [
    ["continue", given.continue],
    ["retry", given.retry],
    ["rewind-files", given.rewindFiles],
    ["prompt", prompt !== ""],
  ];
  const [how, other] = ways.flatMap(([way, isGiven]) => (isGiven ? [way] : []));
  if (other === undefined) return how;
  throw new WorldlineError("one-way-to-go-on", {});
}

export interface WayOn {
  readonly way: "continue" | "retry" | "rewindFiles" | "prompt";
  readonly command: string;
}

/** Every way on, as a command to copy. Files go back only to before a step that there was, where it was. */
export function choicesOf(
  { common }: Frame,
  session: string,
  { open: { turn }, elsewhere = [] }: Recap,
): readonly WayOn[] {
  const command = commandAgain(common, `resume ${session}`);
  const prompt: WayOn = { way: "prompt", command: `${command} "..."` };
  if (turn.state === "idle") return [prompt];
  const isHere = !elsewhere.some(({ checkpoints }) => checkpoints.includes(turn.step));
  return [
    { way: "continue", command: `${command} --continue` },
    { way: "retry", command: `${command} --retry` },
    ...(turn.step > 0 && isHere
      ? [{ way: "rewindFiles" as const, command: `${command} --rewind-files` }]
      : []),
    prompt,
  ];
}

const KEYS: Readonly<Record<string, How>> = { c: "continue", r: "retry", f: "rewind-files" };

/** Asks the person, where there is something to choose and somebody to ask. Undefined: it stays as it is. */
export async function askHow(frame: Frame, turn: TurnState): Promise<How | undefined> {
  if (turn.state === "idle" || !canAsk(frame)) return undefined;
  const { output, strings } = frame;
  for await (const line of askAgain(strings.resume.question, frame)) {
    const typed = line.trim().toLowerCase();
    if (typed === "" || typed === "\u001b") return undefined;
    const how = KEYS[typed];
    if (how !== undefined) return how;
    output.notice(strings.resume.notUnderstood(typed));
  }
  return undefined;
}
