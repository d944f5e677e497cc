import { repeatableAddress } from "../stores/store-address.ts";
import type { Problem, Wording } from "../strings/errors/texts.ts";
import type { Strings } from "../strings/strings.ts";
import { atAShell, wordingIn } from "../strings/wording.ts";
import type { CommonOptions } from "./frame.ts";

type StoreOption = Pick<CommonOptions, "store" | "storeFrom">;
type SessionOptions = StoreOption & Pick<CommonOptions, "session">;

/**
 * Builds a command for the user to copy from the words after `worldline`, such as `-r k3f9`. Repeats `--store` if the
 * user named the store that way, so that the command finds the same sessions. A password is not repeated; the command
 * sets WORLDLINE_STORE instead.
 */
export function commandAgain(common: StoreOption, words: string): string {
  if (common.storeFrom !== "option") return atAShell.command(words);
  const { text, password } = repeatableAddress(common.store);
  if (password === "none") return atAShell.command(`--store ${quoted(text)} ${words}`.trimEnd());
  return `WORLDLINE_STORE=${quoted(text.replace("@", () => ":PASSWORD@"))} ${atAShell.command(words)}`;
}

/** The first words of all commands that read sessions from the store. */
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

/** Commands about the most recently used session here, unless the command line names another one. */
const ABOUT_ONE: ReadonlySet<string> = new Set(["checkpoints", "redo", "log", "tree"]);

/**
 * How messages for users at a shell name commands. When the user copies such a command, it must find the same sessions
 * as the command line with these options, and must read the session that is named there.
 */
export function shellWording(common: SessionOptions | undefined): Pick<Wording, "place" | "command"> {
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
  readonly common: SessionOptions | undefined;
  readonly strings: Pick<Strings, "reasons">;
}): Wording {
  return wordingIn(strings.reasons, shellWording(common));
}

/** An error's message and hint, as one text. */
export function problemText(frame: Parameters<typeof wordingOf>[0], problem: Problem): string {
  const { message, hint } = wordingOf(frame);
  return `${message(problem)} ${hint(problem)}`.trim();
}

function withSession({ session }: SessionOptions, words: string): string {
  const [name = "", ...others] = words.split(" ");
  if (session === undefined || others.includes("--session")) return words;
  return [name, "--session", quoted(session), ...others].join(" ");
}

/** Quoted so that a shell reads it as one word. */
function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
