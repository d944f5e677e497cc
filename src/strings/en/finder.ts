import { counted } from "./measures.ts";

/** What `find` says on its way, and in the end. */
export const find = {
  present: "now",
  checkpoint: (number: number, session: string, when: string) => `#${number} of ${session} (${when})`,
  trying: {
    present: (where: string) => `Running the test on the files of ${where} …`,
    back: (where: string) => `Looking for a time when it was green: ${where} …`,
    between: (where: string, left: number) => `Between green and red: ${where}, about ${left} to go …`,
    again: (where: string) => `Once more, to be sure: ${where} …`,
    newer: (where: string, left: number) => `Was it green again since: ${where}, at most ${left} to go …`,
  },
  judged: { pass: "  green", fail: "  red", unjudged: (why: string) => `  cannot be judged: ${why}` },
  /** Why a state cannot be judged; follows a colon. */
  unjudged: {
    "folder-missing": "the folder that the command runs in was not there",
    timeout: (seconds: number) => `it took longer than ${seconds} s`,
    skipped: "the command said so (exit code 125)",
    "not-started": (program: string, problem: string) => `"${program}" could not be started: ${problem}`,
    "not-runnable": (exit: number) =>
      `the command was not found, or could not be started (exit code ${exit})`,
    "files-unwritten": (problem: string) => `its files could not be written out: ${problem}`,
    "files-uncaptured": (path: string) => `not all of its files were captured, such as ${path}`,
  },
  narrowing: (pieces: number) => `Which part of the change: ${counted(pieces, "piece", "pieces")} of it …`,
  linked: (paths: string) => `Not captured, and used as they are now: ${paths}`,
  absolute: (word: string) =>
    `"${word}" names a place in the workspace itself, so the test may not look at the copies. Use a path relative to the current folder.`,
  partial: (why: string) => `Not all files are captured now: ${why}`,

  greenNow: "It is green now: nothing to find.",
  noPast: "Cannot tell: there are no checkpoints with files here, so there is nothing to compare with.",
  noPastHint: "From now on there will be: worldline watch",
  neverGreen: (tried: number, where: string) =>
    `Cannot tell: red as far back as there are files (${counted(tried, "state", "states")} tried, the oldest ${where}).`,
  presentUnjudged: (why: string) =>
    `Cannot tell: the test cannot be judged on the files as they are now: ${why}.`,
  notStarted:
    "Check the command: no shell is between, and each word stands alone. With a shell: worldline find -- sh -c '…'",
  unconfirmed: (green: string, red: string) =>
    `Cannot tell what makes it fail now. Last seen to break between ${green} and ${red}:`,
  flaky: (passed: number, of: number, where: string) =>
    `Flaky: passed ${passed} of ${of} at ${where}; cannot tell.`,
  flakyNarrowing: (where: string) => `Flaky: the same files of ${where} passed and failed; cannot tell.`,
  suspect: (green: string, red: string) => `It seems to have begun between ${green} and ${red}.`,
  found: (green: string, red: string) => `Found: it broke between ${green} and ${red}.`,
  range: (green: string, red: string, skipped: number) =>
    `It broke between ${green} and ${red}: one of these, for the ${counted(skipped, "state", "states")} between them could not be judged.`,
  prompt: (text: string) => `  prompt: ${text}`,
  by: {
    tool: (name: string, input: string) => `  by: ${name} ${input}`,
    otherCalls: (count: number) => `      (and ${counted(count, "other call", "other calls")} in that time)`,
    timeline: "  by: a command that was run by worldline",
    outside: "  by: an edit from outside",
  },
  changes: {
    lines: (path: string) => path,
    mode: (path: string, before: string, after: string) => `${path}: mode ${before} -> ${after}`,
    content: (path: string) => `${path}: other content, which is no text`,
    created: (path: string) => `${path}: created`,
    deleted: (path: string) => `${path}: deleted`,
    kind: (path: string) => `${path}: another kind of thing`,
  },
  renamed: (path: string) => `  (the same content is now at ${path})`,
  noChange: "No part of the difference could be tried alone.",
  mends: "All of this has to go for the test to pass.",
  givenUp: "There may be less to it: it was too much to try each piece alone.",
  effects: {
    confirmed: "Confirmed: without this, the test passes on the files as they are now.",
    "other-causes": "Not confirmed: without this, the test still fails now. There are other causes too.",
    "changed-since": (paths: string) =>
      `Not confirmed: it cannot be taken out of the files as they are now, because ${paths} changed there since.`,
    unjudged: (why: string) => `Not confirmed: without this, the test cannot be judged now: ${why}.`,
  },
  undoWith: "To take back only that: the same command with --undo",
  undone: (paths: string, command: (words: string) => string) =>
    `Taken back, after the test passed without it: ${paths}. All else stays. To have it again: ${command("redo")}`,
  undonePartly: (paths: string, command: (words: string) => string) =>
    `Could not be taken back: ${paths}. To go back: ${command("redo")}`,
  notUndone: "Nothing was taken back.",

  sample: {
    title: (ways: number) =>
      `Breaking a small project in ${counted(ways, "way", "ways")}, and asking the finder each time what did it`,
    /** The ways are named in English, in JSON too. */
    way: (name: string) => name,
    trying: (index: number, all: number, way: string) => `${index} of ${all}: ${way}`,
    mending: (way: string) => `The offline worker mends ${way}`,
    headings: { way: "what was done", verdict: "the finder says", named: "it names" },
    verdicts: {
      found: "found",
      range: "one of several",
      flaky: "flaky, cannot tell",
      "green-now": "green now",
      "cannot-tell": "cannot tell",
    },
    named: (paths: string, checkpoint: number | undefined, by: string) =>
      `${paths}${checkpoint === undefined ? "" : ` at #${checkpoint}`}, by ${by}`,
    by: { timeline: "a command of worldline's", outside: "somebody outside" },
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
      wanted === "" ? `${about}: ${said}` : `${about}: said ${said}; done was ${wanted}`,
    worker: (way: string) =>
      `The offline worker mends "${way}": the real agent and its tools, no model, no key, no network`,
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
    claimed: "What was checked, in its log and on the disk",
    claims: {
      red: "the test was run first, and failed",
      wrong: "it guessed wrong, and saw the test fail again",
      back: "each time it went back, with a note that names the guess",
      restored: "each time all files came back",
      green: "in the end the test passes",
      only: "only what had broken it is changed, and is as it was before",
      named: "its answer names that",
    },
    outcome: (off: number, ways: number, proved: "finder" | "both") => {
      if (off > 0) return `${counted(off, "row is", "rows are")} wrong.`;
      const all = ways === 1 ? "The finder was right" : `The finder was right ${ways} times of ${ways}`;
      return proved === "both" ? `${all}, and the worker's repair holds.` : `${all}.`;
    },
    gone: "The temporary folder is gone again.",
    kept: (folder: string) => `Kept: ${folder}`,
  },
};

/** How many files an interval changed. */
export interface ChangedCounts {
  readonly created: number;
  readonly deleted: number;
  readonly changed: number;
  /** Folders that came, went, or have another mode. */
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
    return folders > 0 ? `${counted(folders, "folder", "folders")} changed` : "no file changed";
  }
  const others = rest.map(([count, what]) => `${count.toLocaleString("en")} ${what}`);
  return [`${counted(first[0], "file", "files")} ${first[1]}`, ...others].join(", ");
}

/** What `watch` says, and `run` while its command runs. */
export const watch = {
  began: (workspace: string, session: string) =>
    `Watching ${workspace} (session ${session}). Ctrl-C ends it; every checkpoint stays.`,
  polling: (seconds: number) =>
    `This system does not tell of changes here, so all files are looked at every ${counted(seconds, "second", "seconds")}.`,
  known: "The files are as the timeline knows them.",
  made: (number: number, what: string) => `Checkpoint #${number}: ${what}`,
  first: "the first one with files",
  gaps: (number: number, why: string) => `Checkpoint #${number} is not complete: ${why}`,
  line: (made: number, last: string) => `Watching: ${checkpoints(made)}${last}`,
  last: (number: number, ago: string, what: string) => `, last #${number} ${ago}, ${what}`,
  changedFiles,
  ago: (seconds: number) =>
    seconds < 60
      ? `${Math.floor(seconds)} s ago`
      : seconds < 3600
        ? `${Math.floor(seconds / 60)} min ago`
        : `${Math.floor(seconds / 3600)} h ago`,
  trouble: (why: string) => `${why} Watching goes on.`,
  uncaptured: "Watching ended, but what changed last could not be captured.",
  cut: "Ended before everything was looked at once.",
  ended: (made: number) =>
    made === 0 ? "Watching ended; no file had changed." : `Watching ended after ${checkpoints(made)}.`,
};

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
