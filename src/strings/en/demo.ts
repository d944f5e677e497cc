import { counted, sized } from "./measures.ts";

const files = (count: number) => counted(count, "file", "files");
const paths = (count: number) => counted(count, "path", "paths");

/** Messages for `prove`. */
export const prove = {
  title: (what: string) => `Damaging a copy of ${what}`,
  sample: "a built-in sample",
  copied: (count: number, bytes: number, folder: string) =>
    `Copied ${files(count)} (${sized(bytes)}) to ${folder}. Nothing is written outside that folder.`,
  leftOut: (count: number) =>
    `Replaced with placeholders: ${counted(count, "large folder", "large folders")} such as node_modules.`,
  skipped: (count: number) =>
    `Not copied: ${paths(count)} that cannot be read or are not files, folders or links.`,
  copying: (count: number) => `Copying: ${files(count)}`,
  trying: (index: number, all: number, damage: string) => `${index} of ${all}: ${damage}`,
  killing: (index: number, all: number) => `Killing a restore: ${index} of ${all}`,
  damages: {
    overwritten: "a file overwritten",
    appended: "a line appended",
    emptied: "a file emptied",
    edited: "sed -i on a file",
    carriageReturns: "line endings changed to CRLF",
    binary: "random bytes written over a file",
    sameSize: "an edit that keeps the size and modification time",
    future: "an edit with a future modification time",
    replaced: "a file replaced by rename",
    swapped: "two files swapped",
    removed: "a file removed",
    removedFolder: "rm -rf on a folder",
    removedAll: "every file removed",
    moved: "a file moved",
    movedFolder: "a folder moved",
    private: "chmod 600",
    executable: "chmod 777",
    sticky: "setuid and sticky bits",
    unreadable: "chmod 000",
    folderMode: "chmod 700 on a folder",
    lockedFolder: "a file removed and its folder made read-only",
    linkMoved: "a link's target changed",
    linkToFile: "a link replaced by a file",
    fileToLink: "a file replaced by a link",
    folderToLink: "a folder replaced by a link to /etc",
    fileToFolder: "a file replaced by a folder",
    folderToFile: "a folder replaced by a file",
    emptyFolder: "an empty folder removed",
    environment: "an ignored .env removed",
    environmentEdited: "an ignored .env changed",
    ignoredNew: "a new file that is ignored",
    created: "new files",
    createdDeep: "new nested folders",
    oddNames: "new files with odd names",
    oddRemoved: "files with odd names removed",
    ignoreRules: ".gitignore changed",
    ignoreRemoved: ".gitignore removed",
    nested: "a file in a nested repository changed",
    hardLink: "a hard link created and written through",
    large: "a large file",
    sparse: "a sparse file",
    fifo: "a FIFO created",
    many: "two thousand new files",
    mixed: "several kinds of damage at once",
  },
  headings: { damage: "damage", paths: "paths", restored: "restored", redone: "redone" },
  yes: "yes",
  no: "NO",
  nothing: "nothing changed",
  stayed: "(except for paths reported as not capturable)",
  problem: (path: string, wanted: string, found: string) => `${path}: found ${found}, expected ${wanted}`,
  absent: "nothing",
  moreProblems: (count: number) => `and ${count.toLocaleString("en")} more`,
  notClean: (count: number) =>
    `${counted(count, "path still differs", "paths still differ")} after the damage was undone`,
  scriptFailed: (why: string) => `the damage could not be applied: ${why}`,
  claims: {
    kills: "the next program finishes a killed restore",
    git: "git's own files are untouched",
    whole: "everything is exactly as it was copied",
    store: "the snapshot store is undamaged",
  },
  kills: (landed: number, made: number) =>
    `${made.toLocaleString("en")} killed with SIGKILL, ${landed.toLocaleString("en")} of them mid-restore`,
  paths,
  snapshots: (count: number) => counted(count, "snapshot", "snapshots"),
  outcome: (off: number, damages: number, stayed: number) => {
    if (off > 0) return `${counted(off, "row is", "rows are")} wrong.`;
    const all = damages === 1 ? "The damage was" : `All ${damages} kinds of damage were`;
    const but = stayed === 0 ? "" : `, except for ${paths(stayed)} reported as not capturable`;
    return `${all} undone and redone, byte for byte${but}.`;
  },
  gone: "The temporary folder was removed.",
  kept: (folder: string) => `Kept: ${folder}`,
};

const tokens = (count: number) => counted(count, "token", "tokens");

/** Messages for `story`. The scripted conversation is in `demo/story/script.ts`. */
export const story = {
  title: "A story on a real timeline",
  scripted:
    "The model, the tools and the user are scripted, so no model is called. The log, its files and every check below are real.",
  prompted: (checkpoint: number, prompt: string) => `The user asks (checkpoint ${checkpoint}): "${prompt}"`,
  readTooMuch: (characters: number, size: number) =>
    `The agent reads ${characters.toLocaleString("en")} characters of logs (${tokens(size)} of context) and finds no answer.`,
  backtracked: (checkpoint: number, note: string) =>
    `The agent goes back to checkpoint ${checkpoint} with a note, "${note.slice(0, 46)}…", and fixes the leak.`,
  compacted: (checkpoint: number, before: number, after: number) =>
    `Asked for a test (checkpoint ${checkpoint}), the agent writes one. Compaction: ${before.toLocaleString("en")} -> ${tokens(after)}.`,
  rewound: (checkpoint: number, prompt: string) =>
    `The user rewinds to checkpoint ${checkpoint}, before the compaction. The prompt is back in the input: "${prompt}"`,
  triedElse: (checkpoint: number, prompt: string) =>
    `The user sends a different prompt instead (checkpoint ${checkpoint}): "${prompt}"`,
  redone:
    "The user changes their mind again. Redoing the rewind by its id returns to where the rewind started.",
  forked: (session: string, at: number) =>
    `The user forks this session at checkpoint ${at}. The new session is ${session}.`,
  killed: (count: number) =>
    `A second process writes to the fork and is killed with -9 after ${counted(count, "acknowledged entry", "acknowledged entries")}.`,
  torn: (bytes: number, file: string) =>
    `A power failure leaves half a line. Reopening the session moves its ${counted(bytes, "byte", "bytes")} to ${file}`,
  treeTitle: "The session now (worldline tree)",
  proofTitle: "Checked against the files",
  claims: {
    kept: "every acknowledged entry is in the log",
    reachable: "every entry on the abandoned branches is reachable",
    appended: "every action only appended to the log",
    backtrack: "the backtrack was recorded and carried out",
    tokens: "the backtrack made the context smaller",
    prefix: "the context before the backtrack's target is byte-identical",
    uncompacted: "the rewind restored everything that the compaction had replaced",
    redone: "redo restored the context byte for byte",
    forked: "the fork has the same context as the source at that checkpoint",
    sourceUntouched: "the fork did not change the source's log",
    killed: "no acknowledged entry was lost to kill -9",
    torn: "the torn line was kept, and no entry was lost",
  },
  found: {
    tokens: (before: number, after: number) =>
      `${before.toLocaleString("en")} -> ${tokens(after)} (estimated)`,
    bytes: (count: number) => counted(count, "byte", "bytes"),
    of: (count: number, all: number) => `${count.toLocaleString("en")} of ${all.toLocaleString("en")}`,
  },
  outcome: (holding: number, all: number) =>
    holding === all
      ? `All ${all} claims hold. The temporary folder was removed.`
      : `${all - holding} of ${all} claims do not hold.`,
};
