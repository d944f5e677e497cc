import { type ChangedCounts, changedFiles } from "./watch.ts";

/** What `run` says about the command that it ran. */
export const run = {
  before: (number: number, command: string) => `Checkpoint #${number}, before: ${command}`,
  unprotected: (why: string) =>
    `The files are not captured before the command, so they cannot go back: ${why}`,
  partly: (why: string) => `Not all files are captured before the command: ${why}`,
  notAfter: (why: string) => `What the command did is not captured: ${why}`,
  unchanged: "No file changed.",
  changed: (counts: ChangedCounts) => changedFiles(counts),
  question: (summary: string) => `${summary}: [k]eep, [l]ook, [p]atch, go [b]ack (default: keep)? `,
  notUnderstood: (typed: string) => `"${typed}" is none of k, l, p and b.`,
  goBackWith: (command: string) => `To go back: ${command}`,
  keptWith: (command: string) => `Kept. To go back later: ${command}`,
};
