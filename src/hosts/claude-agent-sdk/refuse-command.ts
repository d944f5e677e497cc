import { WorldlineError } from "../../record/error.ts";
import { type Part, textOf } from "../../record/parts.ts";

/** Commands of Claude Code that leave the conversation, which only our timeline may move. */
const LEAVING =
  /^\s*\/(?<command>clear|reset|new|resume|continue|rewind|checkpoint|undo|branch|fork|exit|quit)(?:\s|$)/u;

export function refuseLeaving(prompt: readonly Part[]): void {
  const command = LEAVING.exec(textOf(prompt))?.groups?.["command"];
  if (command === undefined) return;
  throw new WorldlineError("command-leaves", { command });
}
