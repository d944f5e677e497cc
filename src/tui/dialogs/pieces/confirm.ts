import type { Strings } from "../../../strings/strings.ts";
import type { Dialog } from "../dialog.ts";
import { typed } from "./keys.ts";
import { type MenuState, menu } from "./menu.ts";

export interface ConfirmOptions {
  readonly question: string;
  readonly about?: readonly string[];
  readonly yes: string;
  readonly no: string;
}

/** Yes or no, with no chosen: who presses Enter without reading changes nothing. */
export function confirm(strings: Strings, options: ConfirmOptions): Dialog<MenuState, "yes" | "no"> {
  const asked = menu<"yes" | "no">({
    title: options.question,
    ...(options.about === undefined ? {} : { about: options.about }),
    rows: [
      { text: options.yes, answer: "yes" },
      { text: options.no, answer: "no" },
    ],
    chosen: 1,
    keys: strings.terminal.dialogs.keys.confirm,
  });
  return {
    ...asked,
    press: (state, key, room) => {
      const letter = typed(key)?.toLowerCase();
      if (letter === "y") return { answer: "yes" };
      return letter === "n" ? { answer: "no" } : asked.press(state, key, room);
    },
  };
}
