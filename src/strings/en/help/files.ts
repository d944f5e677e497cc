export const diff = {
  summary: "show which files differ between two checkpoints, or since one",
  description:
    "Shows which files differ between two checkpoints, or between one and now, whoever changed them; git is not needed. Now is captured first.",
  arguments: { a: "a checkpoint: a number, session:number, or a label", b: "another one (default: now)" },
  options: {
    stat: "each file with lines added and removed (the default)",
    patch: "the lines themselves, as a unified diff",
  },
  examples: {
    "worldline diff 12": "what has changed since checkpoint 12",
    "worldline diff 12 15 --patch": "line by line, between two checkpoints",
    "worldline diff 12 --patch | patch -p1 -R": "undo it by other means",
  },
};

export const show = {
  summary: "write a file as it was at a checkpoint",
  description:
    "Writes a file as it was at a checkpoint to standard output, byte for byte. With --json its content is text where it is UTF-8, else base64. Of a link, it is what the link leads to that is written, as text.",
  arguments: { file: "<cp>:<path>, where <cp> is a number, session:number, or a label" },
  examples: {
    "worldline show 12:src/main.ts": "the file as it was at checkpoint 12",
    'worldline show "tests pass:logo.png" > logo.png': "by a label, into a file",
    "worldline show k3f9:3:notes.md --json": "of another session, as data",
  },
};

export const exportFiles = {
  summary: "write the files of a checkpoint into a new folder",
  description:
    "Writes the files of a checkpoint into a new or empty folder, with their modes and links; never over something. Ignored files, such as .env, are left out unless asked for. The workspace is not touched.",
  arguments: {
    cp: "the checkpoint: a number, session:number, or a label",
    folder: "a folder that is not there yet, or is empty",
  },
  options: {
    includeIgnored: "also ignored files, which may hold secrets",
    dryRun: "show what would be written, and write nothing",
  },
  examples: {
    "worldline export-files 12 ../before": "checkpoint 12, beside the workspace",
    "worldline export-files 12 /tmp/all --include-ignored": "with .env and the like",
  },
};

export const why = {
  summary: "say whether a path is captured, and who changed it when",
  description:
    "Says whether a path is captured, and if not, why; in which checkpoints it changed, and by whom: in the timeline, from outside, or by a journey's restore. Also what is never covered.",
  arguments: { path: "a file or folder, relative to the current folder" },
  examples: {
    "worldline why .env": "is it captured, although git ignores it?",
    "worldline why src/main.ts": "who changed it, and when",
  },
};

export const watch = {
  summary: "make checkpoints by itself, whenever files have changed",
  description:
    "Makes a checkpoint by itself whenever files of the workspace have changed and come to rest (watch.quietMs), at the latest every watch.maxMs while they keep changing. For work with any editor or agent: go back at any time with `worldline rewind`, from another terminal. The checkpoints go to the workspace's own session. Ctrl-C ends it, after a last look. With --json each checkpoint is a line of JSON.",
  examples: {
    "worldline watch": "keep every state of this workspace, until Ctrl-C",
    "worldline watch --setting watch.quietMs=500": "after half a second of rest",
    "worldline watch --json | jq .number": "for a program",
  },
};

export const run = {
  summary: "run any command between two checkpoints, and go back if it did harm",
  description:
    "Runs any command with the terminal as its own, between two checkpoints of the workspace's files, and makes more while it runs, as `worldline watch` does. Afterwards it says what changed, and asks: keep, look, or go back. Without a terminal it prints the command that goes back. The exit code is the command's (126 and 127 where it could not be started).",
  arguments: { command: "the command and its arguments, after --" },
  options: { strict: "do not run the command unless all files are captured before it" },
  examples: {
    "worldline run -- npm audit fix --force": "see what it did, and go back if it did harm",
    "worldline run -- claude": "any agent, with a way back",
    "worldline run --strict -- sh -c 'rm -rf build && make'": "only with a way back",
    "worldline run --json -- make > run.json": "what changed, as JSON behind what it prints",
  },
};

export const find = {
  summary: "find the change that made a test fail, and take back only that",
  description:
    "This was green, now it is red: which change did it? Runs a test in scratch copies of the workspace's states, of all its sessions, and says between which two checkpoints it broke, who did it, and which lines; needs no model and no git. The workspace itself is not touched, unless --undo asks for it. The test passes with exit code 0, fails with another, and says with 125 that a state cannot be tested. Exit code 0: found; 1: it cannot tell.",
  arguments: { command: "the test and its arguments, after --" },
  options: {
    runs: "run each state so often, for a test that is not always of the same mind (default: 1)",
    since: "look at nothing before this checkpoint: a number, session:number, or a label",
    undo: "take back only what was found, keeping all else; `worldline redo` brings it again",
    timeout: "a run that takes longer says nothing of its state (default: 600)",
    sample:
      "prove the finder instead: break a small project of its own in ten ways, and compare its answers with what was done",
    way: "with --sample: only this way; may be given several times",
    keep: "with --sample: make it there, and leave it",
  },
  examples: {
    "worldline find -- npm test": "which change broke the tests?",
    "worldline find --undo -- node test.mjs": "and take back only that",
    "worldline find --runs 5 -- pytest -q tests/test_pool.py": "a test that may be flaky",
    "worldline find --since 12 -- sh -c 'make && ./check'": "what only a shell knows",
    "worldline find --sample": "is it right? Ten times, with what was really done",
  },
};

export const prove = {
  summary: "attack a copy of a folder, and prove that everything comes back",
  description:
    "Copies a folder, or a built-in sample, to a temporary place, does some forty kinds of damage to the copy with a real shell, rewinds and redoes each, and kills restores in the middle with SIGKILL. After each step every path is compared (kind, mode, sha256, link target) by a walk that has nothing in common with how snapshots are made. Exits with 1 if anything is off. The folder itself is only read.",
  arguments: { folder: "what to copy (default: a built-in sample)" },
  options: {
    kills: "how many restores are killed (default: 12)",
    seed: "what is attacked, and when it is killed, depends on it (default: 1)",
    limit: "copy up to so many GiB, and 100,000 files for each (default: 2)",
    damage: "only this kind, as --json names it; may be given several times",
    keep: "leave the temporary folder behind, to look at it",
  },
  examples: {
    "worldline prove": "on a sample with a little of everything",
    "worldline prove .": "on a copy of your own files",
    "worldline prove . --seed 7 --kills 100": "other targets, and more kills",
    "worldline prove . --damage removedFolder": "one kind of damage only",
    "worldline prove --json | jq '.off'": "how many rows are off",
  },
};
