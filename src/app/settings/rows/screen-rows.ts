import { oneOf, onOrOff, whole } from "../kinds.ts";
import type { Setting } from "../setting.ts";

/** The settings about how Worldline speaks and looks. */
export const screenRows = {
  language: {
    kind: oneOf("auto", "en", "zh-CN"),
    default: "auto",
    description:
      "The language that Worldline speaks: en, zh-CN, or auto, which is the one of LC_ALL, LC_MESSAGES and LANG; a " +
      "workspace has no say in it.",
    // The language is settled before the workspace is found, so that whatever goes wrong there can be said in it.
    untrusted: "never",
  },
  "ui.doubleEscapeMs": {
    kind: whole({ from: 100, to: 5_000 }),
    default: 500,
    description: "How soon a second Esc must follow the first to count as Esc Esc, in milliseconds.",
    untrusted: "nothing",
  },
  "ui.theme": {
    kind: oneOf("auto", "light", "dark"),
    default: "auto",
    description:
      "The colours of the screen: light, dark, or auto, which asks the terminal for its background.",
    untrusted: "nothing",
  },
  "ui.mouse": {
    kind: onOrOff,
    default: true,
    description: "Whether the screen takes the mouse, for scrolling.",
    untrusted: "nothing",
  },
} as const satisfies Readonly<Record<string, Setting>>;
