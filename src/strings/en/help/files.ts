export const diff = {
  summary: "show which files differ between checkpoints",
  description:
    "Show which files differ between two checkpoints, or between a checkpoint and now, no matter what changed them. The current files are captured first. Git is not required.",
  arguments: {
    a: "checkpoint: a number, session:number, or a label",
    b: "checkpoint to compare with (default: the current files)",
  },
  options: {
    stat: "list the files with lines added and removed (the default)",
    patch: "print a unified diff",
  },
  examples: {
    "worldline diff 12": "show what has changed since checkpoint 12",
    "worldline diff 12 15 --patch": "compare two checkpoints line by line",
    "worldline diff 12 --patch | patch -p1 -R": "undo the changes with another tool",
  },
};

export const show = {
  summary: "print a file as it was at a checkpoint",
  description:
    "Print a file as it was at a checkpoint to standard output, byte for byte. With --json, UTF-8 content is printed as text and any other content as base64. For a symbolic link, its target is printed.",
  arguments: { file: "<cp>:<path>, where <cp> is a number, session:number, or a label" },
  examples: {
    "worldline show 12:src/main.ts": "print the file as it was at checkpoint 12",
    'worldline show "tests pass:logo.png" > logo.png': "use a label and write to a file",
    "worldline show k3f9:3:notes.md --json": "print a file from another session as JSON",
  },
};

export const exportFiles = {
  summary: "write a checkpoint's files to a new folder",
  description:
    "Write a checkpoint's files to a new or empty folder, with their modes and links. Nothing is overwritten, and the workspace is not touched. Ignored files, such as .env, are left out by default.",
  arguments: {
    cp: "checkpoint: a number, session:number, or a label",
    folder: "folder that does not exist yet, or is empty",
  },
  options: {
    includeIgnored: "include ignored files, which may contain secrets",
    dryRun: "show what would be written, without writing anything",
  },
  examples: {
    "worldline export-files 12 ../before": "write checkpoint 12 next to the workspace",
    "worldline export-files 12 /tmp/all --include-ignored": "include .env and other ignored files",
  },
};

export const why = {
  summary: "show whether a path is captured and who changed it",
  description:
    "Show whether a path is captured (and if not, why), at which checkpoints it changed, and whether the session, something outside it, or a restore changed it. Also show what is never captured.",
  arguments: { path: "file or folder, relative to the current folder" },
  examples: {
    "worldline why .env": "check whether a file that git ignores is captured",
    "worldline why src/main.ts": "show who changed a file, and when",
  },
};

export const watch = {
  summary: "create checkpoints automatically as files change",
  description:
    "Create a checkpoint whenever files in the workspace have changed and then stayed unchanged for watch.quietMs, and at least every watch.maxMs while they keep changing. This works with any editor or agent. To go back, run `worldline rewind` in another terminal. The checkpoints belong to the workspace's own session. Ctrl-C checks for changes once more and exits. With --json, each checkpoint is printed as one line.",
  examples: {
    "worldline watch": "create checkpoints of this workspace until you press Ctrl-C",
    "worldline watch --setting watch.quietMs=500": "wait only half a second after a change",
    "worldline watch --json | jq .number": "print the number of each new checkpoint",
  },
};

export const run = {
  summary: "run a command so that you can undo its changes",
  description:
    "Run a command in your terminal between two checkpoints of the workspace's files. While it runs, create more checkpoints, as `worldline watch` does. Afterwards, show what changed and ask whether to keep it, look at it, or go back. Without a terminal, print the command that goes back. The exit code is the command's own, or 126 or 127 if the command could not be started.",
  arguments: { command: "command and its arguments, after --" },
  options: { strict: "do not start the command unless all files were captured first" },
  examples: {
    "worldline run -- npm audit fix --force":
      "see what the command changes, and go back if you do not like the result",
    "worldline run -- claude": "run any agent, with a way back",
    "worldline run --strict -- sh -c 'rm -rf build && make'": "run only if everything can be undone",
    "worldline run --json -- make > run.json": "print the changes as JSON after the command's own output",
  },
};

export const find = {
  summary: "find the change that broke a test, and undo only that",
  description:
    "Find the change that made a passing test fail, and show the two checkpoints it lies between, who made it, and which lines it changed. The test runs in scratch copies of earlier states, from all sessions in the workspace; the workspace itself changes only with --undo. No model or git is required. Exit code 0 means that the test passes, 125 that the state cannot be tested, and any other code that the test fails. The exit code of `find` itself is 0 if it found the change, and 1 if it cannot tell.",
  arguments: { command: "test command and its arguments, after --" },
  options: {
    runs: "test each state this many times, for flaky tests (default: 1)",
    since: "ignore states before this checkpoint: a number, session:number, or a label",
    undo: "undo only the change that was found and keep everything else; `worldline redo` restores it",
    timeout: "seconds after which a run is stopped and its state skipped (default: 600)",
    sample:
      "test the finder itself: break a sample project in ten known ways, and compare the finder's answers with the known causes",
    way: "with --sample: break the sample only in this way (repeatable)",
    keep: "with --sample: create the sample in this folder, and keep it",
  },
  examples: {
    "worldline find -- npm test": "find the change that broke the tests",
    "worldline find --undo -- node test.mjs": "find the change and undo only that",
    "worldline find --runs 5 -- pytest -q tests/test_pool.py": "run a flaky test five times per state",
    "worldline find --since 12 -- sh -c 'make && ./check'": "use a shell, and start at checkpoint 12",
    "worldline find --sample": "check the finder's answers on ten known changes",
  },
};

export const prove = {
  summary: "prove on a copy that damaged files can be restored",
  description:
    "Copy a folder, or a built-in sample, to a temporary folder, damage the copy in about forty ways with a real shell, rewind and redo each change, and kill some restores midway with SIGKILL. After each step, a separate check that shares no code with the snapshots compares every path (kind, mode, SHA-256, link target). The folder itself is only read. The exit code is 1 if anything differs.",
  arguments: { folder: "folder to copy (default: a built-in sample)" },
  options: {
    kills: "number of restores to kill (default: 12)",
    seed: "random seed that determines what is damaged and when restores are killed (default: 1)",
    limit:
      "refuse folders larger than this many GiB, or with more than 100,000 files per GiB of this limit (default: 2)",
    damage: "inflict only this kind of damage, as named in the output of --json (repeatable)",
    keep: "keep the temporary folder",
  },
  examples: {
    "worldline prove": "use the built-in sample, which has a little of everything",
    "worldline prove .": "use a copy of your own files",
    "worldline prove . --seed 7 --kills 100": "damage different files, and kill more restores",
    "worldline prove . --damage removedFolder": "try only one kind of damage",
    "worldline prove --json | jq '.off'": "print how many checks failed",
  },
};
