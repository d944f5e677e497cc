import { writeSync } from "node:fs";
import { glyphsFor } from "../../show/style.ts";
import { version } from "../../version.ts";

const ENTER = "\u001B[?1049h\u001B[?25l\u001B[2J";
const SIGNALS = ["SIGTERM", "SIGHUP"] as const;
const CANCELLED = 130;
const LEAVE = "\u001B[?25h\u001B[?1049l";

/** Whether the terminal shows the first frame and the screen has not replaced it yet. */
let isDrawn = false;

/**
 * Draws the screen's frame immediately, because loading the content takes several times as long as starting Node. The
 * frame has no text, because the user's language is not known yet. Keys that the user presses before the screen is
 * ready are not echoed, but wait in the terminal's input.
 */
export function drawFirstFrame(): void {
  if (isDrawn) return;
  const { stdin, stdout } = process;
  const { columns = 80, rows = 24 } = stdout;
  const rule = glyphsFor(process.env).dash.repeat(columns);
  const at = (row: number, text: string): string => `\u001B[${row};1H${text}`;
  const picture = [
    at(1, "Worldline"),
    at(rows - 3, rule),
    at(rows - 1, rule),
    at(rows, `worldline ${version}`.slice(0, columns)),
  ];
  stdin.setRawMode(true);
  writeSync(stdout.fd, ENTER + picture.join(""));
  isDrawn = true;
  process.on("exit", restoreTerminal);
  for (const signal of SIGNALS) process.on(signal, endBySignal);
}

function endBySignal(): void {
  restoreTerminal();
  process.exit(CANCELLED);
}

function stopGuarding(): void {
  process.off("exit", restoreTerminal);
  for (const signal of SIGNALS) process.off(signal, endBySignal);
}

/** Hands the terminal over to the screen, which will restore the terminal itself. */
export function handOverTerminal(): void {
  isDrawn = false;
  stopGuarding();
}

/** Restores the terminal if the screen never starts. */
export function restoreTerminal(): void {
  if (!isDrawn) return;
  isDrawn = false;
  stopGuarding();
  writeSync(process.stdout.fd, LEAVE);
  process.stdin.setRawMode(false);
}
