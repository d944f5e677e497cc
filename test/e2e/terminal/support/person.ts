import { setTimeout as delay } from "node:timers/promises";
import { stringsFor } from "../../../../src/strings/strings.ts";
import type { Pty } from "./pty.ts";

/** Types a text and presses Enter. */
export function say(terminal: Pty, text: string): void {
  terminal.type(text);
  terminal.press("enter");
}

/** Waits until the session is open and its files are captured. */
export async function opened(terminal: Pty): Promise<void> {
  const { screen } = stringsFor("en").terminal;
  await terminal.waitFor(screen.status.snapshots.on);
}

/**
 * Waits until a text is gone from the screen. Anything typed right after an Esc would be read as one key with
 * it, so wait for what the Esc closed to disappear.
 */
export async function goneFrom(terminal: Pty, text: string): Promise<void> {
  await terminal.waitFor((lines) => !lines.join("\n").includes(text), `"${text}" to be gone`);
}

/** Slightly longer than the quiet period for which the program waits. */
const QUIET_MS = 450;

/**
 * Answers a question after a pause: a question that has just appeared ignores keys, because a user in the
 * middle of typing would answer it by accident.
 */
export async function answer(terminal: Pty, key: string): Promise<void> {
  await delay(QUIET_MS);
  terminal.type(key);
}

/** The text of the screen without whitespace, because lines may break anywhere. */
export function joined(lines: readonly string[]): string {
  return lines.join("").replace(/\s+/gu, "");
}
