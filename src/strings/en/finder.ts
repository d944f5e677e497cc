import type { CommandText } from "../commands.ts";
import { counted } from "./measures.ts";

/** Progress messages and results of `find`. */
export const find = {
  present: "now",
  checkpoint: (number: number, session: string, when: string) => `#${number} of ${session} (${when})`,
  trying: {
    present: (where: string) => `Running the test on the files of ${where} …`,
    back: (where: string) => `Looking for a state in which the test passes: ${where} …`,
    between: (where: string, left: number) => `Bisecting: ${where}, about ${left} to go …`,
    again: (where: string) => `Confirming: ${where} …`,
    newer: (where: string, left: number) =>
      `Checking whether the test passed again later: ${where}, at most ${left} to go …`,
  },
  judged: { pass: "  green", fail: "  red", unjudged: (why: string) => `  cannot be tested: ${why}` },
  /** Reasons why a state cannot be judged. Each reason is printed after a colon. */
  unjudged: {
    "folder-missing": "the command's working folder did not exist",
    timeout: (seconds: number) => `it took longer than ${seconds} s`,
    skipped: "the command asked to skip this state (exit code 125)",
    "not-started": (program: string, problem: string) => `"${program}" could not be started: ${problem}`,
    "not-runnable": (exit: number) =>
      `the command was not found, or could not be started (exit code ${exit})`,
    "files-unwritten": (problem: string) => `the files of this state could not be written: ${problem}`,
    "files-uncaptured": (path: string) => `some files of this state were not captured, such as ${path}`,
  },
  narrowing: (pieces: number) => `Narrowing down: testing ${counted(pieces, "hunk", "hunks")} …`,
  linked: (paths: string) =>
    `These paths were not captured, so the test uses their current versions: ${paths}`,
  absolute: (word: string) =>
    `"${word}" is a path in the workspace itself, so the test might not run on the copies. Use a path relative to the current folder.`,
  partial: (why: string) => `Not all files are captured now: ${why}`,

  greenNow: "The test passes now, so there is nothing to find.",
  noPast: "Cannot tell: there are no checkpoints with files here, so there is nothing to compare with.",
  noPastHint: "To create them from now on: worldline watch",
  neverGreen: (tried: number, where: string) =>
    `Cannot tell: the test fails as far back as files were captured (${counted(tried, "state", "states")} tried, the oldest ${where}).`,
  presentUnjudged: (why: string) => `Cannot tell: the current files cannot be tested: ${why}.`,
  notStarted:
    "Check the command. It runs without a shell, and each word is one argument. To use a shell: worldline find -- sh -c '…'",
  unconfirmed: (green: string, red: string) =>
    `Cannot tell what makes the test fail now. The test last broke between ${green} and ${red}:`,
  flaky: (passed: number, of: number, where: string) =>
    `Flaky: passed ${passed} of ${of} runs at ${where}; cannot tell.`,
  flakyNarrowing: (where: string) =>
    `Flaky: the test both passed and failed with the same files at ${where}; cannot tell.`,
  suspect: (green: string, red: string) => `The test seems to have broken between ${green} and ${red}.`,
  found: (green: string, red: string) => `Found: broken between ${green} and ${red}.`,
  range: (green: string, red: string, skipped: number) =>
    `Broken between ${green} and ${red} by one of these changes. The ${counted(skipped, "state", "states")} in between could not be tested.`,
  prompt: (text: string) => `  prompt: ${text}`,
  by: {
    tool: (name: string, input: string) => `  by: ${name} ${input}`,
    otherCalls: (count: number) => `      (and ${counted(count, "other call", "other calls")} in that time)`,
    timeline: "  by: a command run by worldline",
    outside: "  by: an edit outside the session",
  },
  changes: {
    lines: (path: string) => path,
    mode: (path: string, before: string, after: string) => `${path}: mode ${before} -> ${after}`,
    content: (path: string) => `${path}: binary content changed`,
    created: (path: string) => `${path}: created`,
    deleted: (path: string) => `${path}: deleted`,
    kind: (path: string) => `${path}: type changed`,
  },
  renamed: (path: string) => `  (the same content is now at ${path})`,
  noChange: "No part of the difference could be tested on its own.",
  mends: "All of this must be reverted for the test to pass.",
  givenUp: "The cause may be smaller, but there was too much to test each hunk on its own.",
  effects: {
    confirmed: "Confirmed: without this change, the test passes on the current files.",
    "other-causes":
      "Not confirmed: without this change, the test still fails now. There are other causes too.",
    "changed-since": (paths: string) =>
      `Not confirmed: this change cannot be reverted in the current files, because of later changes to ${paths}.`,
    unjudged: (why: string) =>
      `Not confirmed: without this change, the current files cannot be tested: ${why}.`,
  },
  undoWith: "To revert only this change, run the same command with --undo",
  undone: (paths: string, command: CommandText) =>
    `The test passed without this change, so it was reverted: ${paths}. Nothing else was changed. To undo this: ${command({ do: "redo" })}`,
  undonePartly: (paths: string, command: CommandText) =>
    `Could not be reverted: ${paths}. To go back: ${command({ do: "redo" })}`,
  notUndone: "Nothing was reverted.",

  sample: {
    title: (ways: number) =>
      `Breaking a small project in ${counted(ways, "way", "ways")} and asking the finder each time what broke it`,
    /** English shows the fault's own name. So does JSON, in every language. */
    way: (name: string) => name,
    trying: (index: number, all: number, way: string) => `${index} of ${all}: ${way}`,
    mending: (way: string) => `The offline worker fixes ${way}`,
    headings: { way: "planted fault", verdict: "verdict", named: "cause" },
    verdicts: {
      found: "found",
      range: "one of several",
      flaky: "flaky, cannot tell",
      "green-now": "green now",
      "cannot-tell": "cannot tell",
    },
    named: (paths: string, checkpoint: number | undefined, by: string) =>
      `${paths}${checkpoint === undefined ? "" : ` at #${checkpoint}`}, by ${by}`,
    by: { timeline: "a command run by worldline", outside: "an outside edit" },
    nothing: "nothing",
    right: "right",
    wrong: "WRONG",
    about: {
      verdict: "the verdict",
      checkpoint: "the checkpoint",
      files: "the files",
      lines: "the lines",
      author: "the author",
      proof: "the proof",
      trouble: "it failed",
    },
    said: (about: string, said: string, wanted: string) =>
      wanted === "" ? `${about}: ${said}` : `${about}: got ${said}, expected ${wanted}`,
    worker: (way: string) =>
      `The offline worker fixes "${way}" with the real agent and its tools, but no model, key or network`,
    call: (name: string, about: string, outcome: string) =>
      `${name} ${about}${outcome === "" ? "" : `: ${outcome}`}`,
    ended: { ok: "", error: "failed", denied: "denied", interrupted: "interrupted", open: "did not end" },
    tested: {
      ok: "green",
      error: "red",
      denied: "denied",
      interrupted: "interrupted",
      open: "did not end",
    },
    back: (to: number, restored: number, note: string) =>
      `Backtrack to #${to}, ${counted(restored, "file", "files")} restored, with the note: ${note}`,
    claimed: "Checked in the session's log and on disk",
    claims: {
      red: "the worker ran the test first, and the test failed",
      wrong: "the worker guessed wrong and saw the test fail again",
      back: "after each wrong guess, the worker backtracked with a note that names the guess",
      restored: "each backtrack restored all files",
      green: "the test passes at the end",
      only: "the worker reverted only what broke the test",
      named: "the worker's answer names the cause",
    },
    outcome: (off: number, ways: number, proved: "finder" | "both") => {
      if (off > 0) return `${counted(off, "row is", "rows are")} wrong.`;
      const all = ways === 1 ? "The finder was right" : `The finder was right ${ways} out of ${ways} times`;
      return proved === "both" ? `${all}, and the worker's fix works.` : `${all}.`;
    },
    gone: "The temporary folder was removed.",
    kept: (folder: string) => `Kept: ${folder}`,
  },
};

/** Numbers of files that changed between two states. */
export interface ChangedCounts {
  readonly created: number;
  readonly deleted: number;
  readonly changed: number;
  /** Folders that were created or deleted, or whose mode changed. */
  readonly folders: number;
}

const checkpoints = (count: number) => counted(count, "checkpoint", "checkpoints");

/** `47 files changed, 3 deleted, 2 created`. */
export function changedFiles({ created, deleted, changed, folders }: ChangedCounts): string {
  const parts = [
    [changed, "changed"],
    [deleted, "deleted"],
    [created, "created"],
  ] as const;
  const [first, ...rest] = parts.filter(([count]) => count > 0);
  if (first === undefined) {
    return folders > 0 ? `${counted(folders, "folder", "folders")} changed` : "no files changed";
  }
  const others = rest.map(([count, what]) => `${count.toLocaleString("en")} ${what}`);
  return [`${counted(first[0], "file", "files")} ${first[1]}`, ...others].join(", ");
}

/** Messages for `watch`, and for `run` while its command is running. */
export const watch = {
  began: (workspace: string, session: string) =>
    `Watching ${workspace} (session ${session}). Press Ctrl-C to stop; every checkpoint is kept.`,
  polling: (seconds: number) =>
    `This system does not report changes here, so all files are checked every ${counted(seconds, "second", "seconds")}.`,
  known: "No files have changed since they were last captured.",
  made: (number: number, what: string) => `Checkpoint #${number}: ${what}`,
  first: "the first checkpoint with files",
  gaps: (number: number, why: string) => `Checkpoint #${number} is incomplete: ${why}`,
  line: (made: number, last: string) => `Watching: ${checkpoints(made)}${last}`,
  last: (number: number, ago: string, what: string) => `, last #${number} ${ago}, ${what}`,
  changedFiles,
  ago: (seconds: number) =>
    seconds < 60
      ? `${Math.floor(seconds)} s ago`
      : seconds < 3600
        ? `${Math.floor(seconds / 60)} min ago`
        : `${Math.floor(seconds / 3600)} h ago`,
  trouble: (why: string) => `${why} Still watching.`,
  uncaptured: "Watching ended, but the last changes could not be captured.",
  cut: "Stopped before the first scan was complete.",
  ended: (made: number) =>
    made === 0 ? "Watching ended; no files changed." : `Watching ended after ${checkpoints(made)}.`,
};

/** Messages for `run` about the command that it runs. */
export const run = {
  before: (number: number, command: string) => `Checkpoint #${number}, before: ${command}`,
  unprotected: (why: string) =>
    `The files were not captured before the command, so they cannot be restored: ${why}`,
  partly: (why: string) => `Not all files were captured before the command: ${why}`,
  notAfter: (why: string) => `The command's changes were not captured: ${why}`,
  unchanged: "No files changed.",
  changed: (counts: ChangedCounts) => changedFiles(counts),
  question: (summary: string) => `${summary}: [k]eep, [l]ook, [p]atch, go [b]ack (default: keep)? `,
  notUnderstood: (typed: string) => `"${typed}" is not an option: type k, l, p or b.`,
  goBackWith: (command: string) => `To go back: ${command}`,
  keptWith: (command: string) => `Kept. To go back later: ${command}`,
};
