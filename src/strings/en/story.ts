import { counted } from "./measures/counted.ts";

const tokens = (count: number) => counted(count, "token", "tokens");

/** What `story` says about what it plays. */
export const story = {
  title: "A story on a real timeline",
  scripted:
    "Model, tools and person are scripted and no model is called; the log, its files and every check below are real.",
  prompted: (checkpoint: number, prompt: string) => `The person asks (checkpoint ${checkpoint}): "${prompt}"`,
  readTooMuch: (characters: number, size: number) =>
    `The agent reads ${characters.toLocaleString("en")} characters of logs: ${tokens(size)} of context, and no answer.`,
  backtracked: (checkpoint: number, note: string) =>
    `It goes back to checkpoint ${checkpoint} with a note: "${note.slice(0, 46)}…", and fixes the leak.`,
  compacted: (checkpoint: number, before: number, after: number) =>
    `Asked for a test (checkpoint ${checkpoint}) it writes one; compaction: ${before.toLocaleString("en")} -> ${tokens(after)}.`,
  rewound: (checkpoint: number, prompt: string) =>
    `The person rewinds to checkpoint ${checkpoint}, before the compaction; back in the input: "${prompt}"`,
  triedElse: (checkpoint: number, prompt: string) =>
    `Something else instead (checkpoint ${checkpoint}): "${prompt}"`,
  redone:
    "The person changes their mind again: redo of that rewind, by its name, forward to where it left from.",
  forked: (session: string, at: number) =>
    `A fork: session ${session} begins at checkpoint ${at} of this one.`,
  killed: (count: number) =>
    `A second process writes to the fork and is killed with -9 after ${counted(count, "acknowledged entry", "acknowledged entries")}.`,
  torn: (bytes: number, file: string) =>
    `A power cut leaves half a line; opening again moves its ${counted(bytes, "byte", "bytes")} to ${file}`,
  treeTitle: "The session now (worldline tree)",
  proofTitle: "What was checked, in the files",
  claims: {
    kept: "every acknowledged entry is in the log",
    reachable: "every entry of the abandoned branches is reachable",
    appended: "the log was only appended to, act by act",
    backtrack: "the backtrack was filed and carried out",
    tokens: "the backtrack made the context smaller",
    prefix: "the context before the backtrack's target is the same to the byte",
    uncompacted: "the rewind brought back what the compaction had hidden",
    redone: "redo brought the context back to the byte",
    forked: "the fork sees what the source saw at that checkpoint",
    sourceUntouched: "the fork left the source's log as it was",
    killed: "kill -9 cost no acknowledged entry",
    torn: "the torn line cost no entry, and is kept",
  },
  found: {
    tokens: (before: number, after: number) =>
      `${before.toLocaleString("en")} -> ${tokens(after)} (estimated)`,
    bytes: (count: number) => counted(count, "byte", "bytes"),
    of: (count: number, all: number) => `${count.toLocaleString("en")} of ${all.toLocaleString("en")}`,
  },
  outcome: (holding: number, all: number) =>
    holding === all
      ? `All ${all} claims hold. The temporary folder is gone again.`
      : `${all - holding} of ${all} claims do not hold.`,
};
