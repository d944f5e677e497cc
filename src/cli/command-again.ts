import { repeatableAddress } from "../stores/store-address.ts";
import type { Problem, Wording } from "../strings/errors/texts.ts";
import type { Strings } from "../strings/strings.ts";
import { atAShell, wordingIn } from "../strings/wording.ts";
import type { CommonOptions } from "./frame.ts";

type StoreOption = Pick<CommonOptions, "store" | "storeFrom">;
type Common = StoreOption & Pick<CommonOptions, "session">;

/**
 * A command for the person to copy, from its words after `worldline`, such as `-r k3f9`, that finds the same sessions: with
 * `--store`, when that was how they were found. A password is not repeated, and belongs in WORLDLINE_STORE.
 */
export function commandAgain(common: StoreOption, words: string): string {
  if (common.storeFrom !== "option") return atAShell.command(words);
  const { text, password } = repeatableAddress(common.store);
  if (password === "none") return atAShell.command(`--store ${quoted(text)} ${words}`.trimEnd());
  return `WORLDLINE_STORE=${quoted(text.replace("@", () => ":PASSWORD@"))} ${atAShell.command(words)}`;
}

/** Whatever asks the store for sessions, by its first word. */
const ABOUT_SESSIONS: ReadonlySet<string> = new Set([
  ...[
    "-r",
    "-c",
    "-p",
    "--resume",
    "--continue",
    "resume",
    "fork",
    "redo",
    "rewind",
    "executions",
    "sessions",
  ],
  ...[
    "checkpoint",
    "checkpoints",
    "label",
    "log",
    "tree",
    "context",
    "compact",
    "show",
    "diff",
    "why",
    "find",
  ],
  ...["forget", "stats", "doctor", "watch", "run"],
]);

/** Commands about the session last used here, unless the command line names one. */
const ABOUT_ONE: ReadonlySet<string> = new Set(["checkpoints", "redo", "log", "tree"]);

/**
 * How texts name commands to somebody at a shell, who typed these options: run as it is printed, a command must find the
 * same sessions, and one that looks into a session must not look into another one than was named.
 */
export function shellWording(common: Common | undefined): Pick<Wording, "place" | "command"> {
  if (common === undefined) return atAShell;
  return {
    place: "shell",
    command: (words) => {
      const [name = ""] = words.split(" ");
      const inSession = ABOUT_ONE.has(name) ? withSession(common, words) : words;
      return ABOUT_SESSIONS.has(name) ? commandAgain(common, inSession) : atAShell.command(inSession);
    },
  };
}

/** How errors and remarks are worded for the user of this command line, in the user's language. */
export function wordingOf({
  common,
  strings,
}: {
  readonly common: Common | undefined;
  readonly strings: Pick<Strings, "reasons">;
}): Wording {
  return wordingIn(strings.reasons, shellWording(common));
}

/** An error's message and hint, as one text. */
export function problemText(frame: Parameters<typeof wordingOf>[0], problem: Problem): string {
  const { message, hint } = wordingOf(frame);
  return `${message(problem)} ${hint(problem)}`.trim();
}

function withSession({ session }: Common, words: string): string {
  const [name = "", ...others] = words.split(" ");
  if (session === undefined || others.includes("--session")) return words;
  return [name, "--session", quoted(session), ...others].join(" ");
}

/** As a shell reads it back. */
function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
