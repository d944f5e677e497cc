import { repeatableAddress } from "../../stores/store-address.ts";
import type { CommonOptions } from "../command/common-options.ts";

type StoreOption = Pick<CommonOptions, "store" | "storeFrom">;

/**
 * A command for the person to copy, such as `worldline -r k3f9`, that finds the same sessions: with `--store`, when that
 * was how they were found. A password is not repeated, and belongs in WORLDLINE_STORE.
 */
export function commandAgain({ store, storeFrom }: StoreOption, command: string): string {
  if (storeFrom !== "option") return command;
  const { text, password } = repeatableAddress(store);
  if (password === "none") return command.replace(/^worldline\b/u, () => `worldline --store ${quoted(text)}`);
  return `WORLDLINE_STORE=${quoted(text.replace("@", () => ":PASSWORD@"))} ${command}`;
}

/** The same for a hint that says how a session is gone on with. */
export function hintAgain(common: StoreOption, hint: string): string {
  return hint.replace(
    /(?<!WORLDLINE_STORE=\S+ )\bworldline (?=(?:-r|--resume|resume|fork|redo|rewind|executions)\b)/gu,
    (word) => `${commandAgain(common, word.trimEnd())} `,
  );
}

/** As a shell reads it back. */
function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
