import { repeatableAddress } from "../../stores/store-address.ts";
import type { CommonOptions } from "../command/common-options.ts";

type StoreOption = Pick<CommonOptions, "store" | "storeFrom">;

/**
 * A command for the person to copy, such as `worldline -r k3f9`, that finds the same sessions: with `--store`, when that
 * was how they were found. A password is not repeated, and belongs in WORLDLINE_STORE.
 */
export function commandAgain(common: StoreOption, command: string): string {
  if (common.storeFrom !== "option") return command;
  const { text, password } = repeatableAddress(common.store);
  if (password === "none") return command.replace(/^worldline\b/u, () => `worldline --store ${quoted(text)}`);
  return `WORLDLINE_STORE=${quoted(text.replace("@", () => ":PASSWORD@"))} ${command}`;
}

/** Whatever asks the store for sessions. */
const ABOUT_SESSIONS =
  /(?<!WORLDLINE_STORE=\S+ )\bworldline (?=(?:-[rcp]|--resume|--continue|resume|fork|redo|rewind|executions|sessions|checkpoints?|label|log|tree|context|compact|show|diff|why|find|forget|stats|doctor|watch|run)(?![\w-]))/gu;

/** The same for every such command in a sentence of ours, such as a hint. */
export function hintAgain(common: StoreOption, hint: string): string {
  return hint.replace(ABOUT_SESSIONS, (word) => `${commandAgain(common, word.trimEnd())} `);
}

/** What looks into the session last used here, unless it is told which. */
const ABOUT_ONE = /\bworldline (?:checkpoints|redo|log|tree)(?![\w-])(?! --session)/gu;

/** A hint to somebody who named the session: run as it is printed, a command of it must not look into another one. */
export function hintInSession({ session }: Pick<CommonOptions, "session">, hint: string): string {
  if (session === undefined) return hint;
  return hint.replace(ABOUT_ONE, (words) => `${words} --session ${quoted(session)}`);
}

/** As a shell reads it back. */
function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
