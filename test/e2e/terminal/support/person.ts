import { setTimeout as delay } from "node:timers/promises";
import { stringsFor } from "../../../../src/strings/strings.ts";
import type { Pty } from "./pty.ts";

/** Types it and sends it. */
export function say(terminal: Pty, text: string): void {
  terminal.type(text);
  terminal.press("enter");
}

/** The session is open and its files are captured. */
export async function opened(terminal: Pty): Promise<void> {
  const { screen } = stringsFor("en").terminal;
  await terminal.waitFor(screen.status.snapshots.on);
}

/** What is typed at once after an Esc would be one key with it, so that what it closed has to be seen to be gone. */
export async function goneFrom(terminal: Pty, text: string): Promise<void> {
  await terminal.waitFor((lines) => !lines.join("\n").includes(text), `"${text}" to be gone`);
}

/** A little more than the program waits for quiet. */
const QUIET_MS = 450;

/** A question of the agent's that has only just come up takes no key: whoever is in the middle of a word would answer it. */
export async function answer(terminal: Pty, key: string): Promise<void> {
  await delay(QUIET_MS);
  terminal.type(key);
}

/** All that the screen shows, without the blanks at which it breaks lines. */
export function joined(lines: readonly string[]): string {
  return lines.join("").replace(/\s+/gu, "");
}
