import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const deadEnds = 20;
export const callsOfADeadEnd = 6;
export const goodSteps = 10;
export const window = 200_000;

/** Counts tokens the way the scripted server does: a quarter of the bytes. */
export const tokensOf = (text) => Math.ceil(Buffer.byteLength(text) / 4);

const words =
  "queue worker socket timeout retry buffer header parser stream cursor page lock index cache token route handler schema row column branch merge commit patch".split(
    " ",
  );

/**
 * Unique text of exactly this many bytes.
 * @param {string} name
 * @param {number} bytes
 */
export function prose(name, bytes) {
  let text = "";
  for (let at = 0; text.length < bytes; at += 1) {
    const word = words[(at * 7 + name.length * 3 + (name.codePointAt(at % name.length) ?? 0)) % words.length];
    text += at % 9 === 0 ? `${name}.${at} ` : `${word}${at % 13 === 12 ? "\n" : " "}`;
  }
  return text.slice(0, bytes);
}

/**
 * The labels of all steps of the work, in order. Each label is unique in the context.
 * @param {"dead ends first" | "spread"} order "spread": a good step after every second dead end.
 */
export function labelsIn(order) {
  const labels = [];
  const good = (number) => labels.push(`G${two(number)}`);
  for (let end = 1; end <= deadEnds; end += 1) {
    for (let call = 1; call <= callsOfADeadEnd; call += 1) labels.push(`D${two(end)}.${call}`);
    if (order === "spread" && end % 2 === 0) good(end / 2);
  }
  if (order === "dead ends first") for (let step = 1; step <= goodSteps; step += 1) good(step);
  return labels;
}

export const fileOf = (label) => `notes/${label.replace(".", "-")}.txt`;

/** With line numbers, a result of this length takes 2,000 tokens. */
const BYTES_OF_A_FILE = 7290;

/**
 * Writes a workspace with a file for every step, and with instructions that bring the system prompt and
 * tools to 8,000 tokens.
 */
export function writeWorkspace(folder, { instructionBytes }) {
  mkdirSync(join(folder, "notes"), { recursive: true });
  for (const label of labelsIn("spread"))
    writeFileSync(join(folder, fileOf(label)), prose(label, BYTES_OF_A_FILE));
  writeFileSync(join(folder, "AGENTS.md"), prose("instructions", instructionBytes));
}

export const task = `Find out why the shop loses orders, and what it takes to repair it.\n${prose("task", 1850)}`;

function two(number) {
  return String(number).padStart(2, "0");
}
