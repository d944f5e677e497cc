import { en } from "../../../src/strings/en.ts";
import type { Strings } from "../../../src/strings/strings.ts";
import type { Dialog, Room } from "../../../src/tui/dialogs/dialog.ts";
import type { CommandContext } from "../../../src/tui/flows/command-context.ts";
import { drawIn, play, roomOf } from "./played.ts";

export interface Asker extends Pick<CommandContext, "ask" | "strings"> {
  /** The first line of each dialog that was shown. */
  readonly asked: readonly string[];
}

/**
 * Answers each dialog with the next list of keys. A dialog that stays open after its keys, or has no keys,
 * fails the test.
 */
export function asker(scripts: readonly (readonly string[])[], strings: Strings = en): Asker {
  const asked: string[] = [];
  const room: Room = roomOf(80, 20, strings);
  return {
    strings,
    asked,
    ask: async <State, Answer>(dialog: Dialog<State, Answer>): Promise<Answer | undefined> => {
      const [title = ""] = drawIn(dialog, dialog.start, room);
      const keys = scripts[asked.length];
      asked.push(title);
      if (keys === undefined) throw new Error(`nobody answers "${title}"`);
      const { outcome } = play(dialog, keys, room);
      if (outcome === "open") throw new Error(`"${title}" is still open after ${keys.join(" ")}`);
      return outcome.answer;
    },
  };
}
