import { writeSync } from "node:fs";
import { glyphsFor } from "../../show/style.ts";
import { version } from "../../version.ts";

const ENTER = "\u001B[?1049h\u001B[?25l\u001B[2J";
const SIGNALS = ["SIGTERM", "SIGHUP"] as const;
const CANCELLED = 130;
const LEAVE = "\u001B[?25h\u001B[?1049l";

/** Whether the terminal shows the first picture, and the screen has not taken it over yet. */
let isDrawn = false;

/**
 * Draws the frame of the screen at once: loading what fills it takes as long as several starts of Node. It has no words,
 * because their language is not known yet. What is typed meanwhile is not echoed, and waits in the terminal's input.
 */
export function drawFirstPicture(): void {
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
  process.on("exit", giveBackPicture);
  for (const signal of SIGNALS) process.on(signal, endBySignal);
}

function endBySignal(): void {
  giveBackPicture();
  process.exit(CANCELLED);
}

function stopGuarding(): void {
  process.off("exit", giveBackPicture);
  for (const signal of SIGNALS) process.off(signal, endBySignal);
}

/** The screen has come, and gives the terminal back itself. */
export function handOverPicture(): void {
  isDrawn = false;
  stopGuarding();
}

/** For when the screen does not come. */
export function giveBackPicture(): void {
  if (!isDrawn) return;
  isDrawn = false;
  stopGuarding();
  writeSync(process.stdout.fd, LEAVE);
  process.stdin.setRawMode(false);
}
