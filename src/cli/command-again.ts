import { repeatableAddress } from "../stores/store-address.ts";
import { type Command, quoted, shellCommand } from "../strings/commands.ts";
import type { Problem, Wording } from "../strings/errors/texts.ts";
import type { Strings } from "../strings/strings.ts";
import { atAShell, wordingIn } from "../strings/wording.ts";
import type { CommonOptions } from "./frame.ts";

type SessionOptions = Pick<CommonOptions, "store" | "storeFrom" | "session">;

/**
 * Builds a command for the user to copy. The command finds the same sessions as the command line with these options.
 * The command names the user's session if it would otherwise use another session. It repeats `--store` if the user
 * specified the store with that option. A password is never repeated. Instead, the command sets WORLDLINE_STORE.
 * `program`: how the user starts Worldline.
 */
export function commandAgain(common: SessionOptions, command: Command, program = "worldline"): string {
  const { words: own, finds } = shellCommand(command);
  const { session } = common;
  const isNamed = finds === "latest-session" && session !== undefined;
  const words = isNamed ? [...own, "--session", quoted(session)] : own;
  if (finds === "nothing" || common.storeFrom !== "option") return [program, ...words].join(" ");
  const { text, password } = repeatableAddress(common.store);
  if (password === "none") return [program, "--store", quoted(text), ...words].join(" ");
  const address = quoted(text.replace("@", () => ":PASSWORD@"));
  return [`WORLDLINE_STORE=${address}`, program, ...words].join(" ");
}

/** Returns the wording that messages use for commands when the user is at a shell. */
export function shellWording(common: SessionOptions | undefined): Pick<Wording, "place" | "command"> {
  if (common === undefined) return atAShell;
  return { place: "shell", command: (command) => commandAgain(common, command) };
}

/** Returns the wording of errors and remarks for the user of this command line, in the user's language. */
export function wordingOf({
  common,
  strings,
}: {
  readonly common: SessionOptions | undefined;
  readonly strings: Pick<Strings, "reasons">;
}): Wording {
  return wordingIn(strings.reasons, shellWording(common));
}

/** Returns an error's message and hint as a single string. */
export function problemText(frame: Parameters<typeof wordingOf>[0], problem: Problem): string {
  const { message, hint } = wordingOf(frame);
  return `${message(problem)} ${hint(problem)}`.trim();
}
