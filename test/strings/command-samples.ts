import type { Command } from "../../src/strings/commands.ts";

type Sample<Name extends Command["do"]> = readonly [
  command: Omit<Command<Name>, "do">,
  shell: string,
  /** Absent if the command must be typed at a shell. */
  screen?: string,
];

/** Every command that texts may name, in the words of a shell and of Worldline's own screen. */
const samples: { readonly [Name in Command["do"]]: readonly Sample<Name>[] } = {
  command: [
    [{ name: "config trust" }, "worldline config trust"],
    [{ name: "" }, "worldline"],
  ],
  start: [
    [{}, "worldline"],
    [{ folder: "/my fork" }, 'worldline "/my fork"'],
    [{ host: "claude" }, "worldline --host claude"],
    [{ host: "native", model: "acme/large" }, "worldline --host native --model acme/large"],
    [{ model: { any: "name" } }, "worldline --model <name>", "/model <name>"],
    [{ prompt: "hello" }, "worldline -- hello"],
  ],
  print: [[{ prompt: "why does it fail?" }, 'worldline -p "why does it fail?"']],
  open: [
    [{ session: "k3f9" }, "worldline -r k3f9", "/resume k3f9"],
    [{ session: "k3f9", how: "fork" }, "worldline -r k3f9 --fork"],
    [{ session: "k3f9", how: "prompt" }, 'worldline -r k3f9 "..."', "/resume k3f9"],
  ],
  resume: [
    [{ how: "continue" }, "worldline resume --continue", "/resume"],
    [{ session: "k3f9" }, "worldline resume k3f9", "/resume k3f9"],
    [{ session: "k3f9", how: "retry" }, "worldline resume k3f9 --retry", "/resume k3f9"],
    [{ session: "k3f9", how: "rewindFiles" }, "worldline resume k3f9 --rewind-files", "/resume k3f9"],
    [{ session: "k3f9", how: "prompt" }, 'worldline resume k3f9 "..."', "/resume k3f9"],
  ],
  checkpoint: [
    [{ label: { any: "label" } }, "worldline checkpoint <label>", "/checkpoint save <label>"],
    [{ label: "before it" }, 'worldline checkpoint "before it"', "/checkpoint save before it"],
  ],
  checkpoints: [
    [{}, "worldline checkpoints", "/rewind"],
    [{ all: true }, "worldline checkpoints --all", "/rewind"],
  ],
  rewind: [
    [{}, "worldline rewind", "/rewind"],
    [{ to: { any: "number" } }, "worldline rewind <number>", "/rewind <number>"],
    [{ to: { checkpoint: 12 } }, "worldline rewind 12", "/rewind 12"],
    [
      { to: { session: "k3f9", checkpoint: 12 }, scope: "conversation" },
      "worldline rewind k3f9:12 --scope conversation",
      "/rewind k3f9:12",
    ],
  ],
  redo: [
    [{}, "worldline redo", "/redo"],
    [{ journey: "j1", scope: "files" }, "worldline redo j1 --scope files", "/redo list"],
    [{ session: "k3f9" }, "worldline redo --session k3f9"],
  ],
  "redo --list": [[{}, "worldline redo --list", "/redo list"]],
  fork: [
    [{ session: "k3f9", here: true }, "worldline fork k3f9 --here"],
    [{ at: 12, into: "../a b" }, 'worldline fork --at 12 --into "../a b"'],
  ],
  compact: [[{}, "worldline compact", "/compact"]],
  tree: [
    [{}, "worldline tree", "/tree"],
    [{ session: "k3f9" }, "worldline tree --session k3f9"],
  ],
  log: [
    [{ limit: 0 }, "worldline log --limit 0"],
    [{ session: "k3f9" }, "worldline log --session k3f9"],
  ],
  "sessions list": [
    [{}, "worldline sessions list", "/resume"],
    [{ all: true }, "worldline sessions list --all", "/resume"],
    [{ workspace: "/it's" }, "worldline sessions list --workspace '/it'\\''s'", "/resume"],
  ],
  "sessions show": [[{ session: "k3f9" }, "worldline sessions show k3f9"]],
  "sessions search": [[{ text: "connection pool" }, 'worldline sessions search "connection pool"']],
  "sessions confirm": [[{ session: "k3f9" }, "worldline sessions confirm k3f9"]],
  "sessions import": [
    [{ from: { any: "path" } }, "worldline sessions import <path>"],
    [{ from: "list" }, "worldline sessions import --list"],
    [{ from: "pipe" }, "worldline sessions import - < session.bundle"],
  ],
  "sessions export": [
    [{ session: "k3f9" }, "worldline sessions export k3f9"],
    [{ includeIgnored: true }, "worldline sessions export --include-ignored"],
    [{ file: "a.bundle" }, "worldline sessions export -o a.bundle", "/export bundle a.bundle"],
  ],
  "sessions delete": [[{ session: "k3f9" }, "worldline sessions delete k3f9", "/delete k3f9"]],
  "sessions delete --empty-trash": [[{}, "worldline sessions delete --empty-trash"]],
  "sessions undelete": [
    [{}, "worldline sessions undelete"],
    [{ session: "k3f9" }, "worldline sessions undelete k3f9"],
  ],
  "sessions undelete --list": [[{}, "worldline sessions undelete --list"]],
  executions: [[{ all: true }, "worldline executions --all"]],
  "executions show": [[{ execution: "e1" }, "worldline executions show e1"]],
  "executions delete": [[{ execution: "e1" }, "worldline executions delete e1"]],
  diff: [
    [{}, "worldline diff", "/diff"],
    [{ since: { any: "cp" } }, "worldline diff <cp>", "/diff <cp>"],
  ],
  show: [
    [{ file: "12:src/main.ts" }, "worldline show 12:src/main.ts"],
    [{ into: "file" }, "worldline show … > file"],
  ],
  "export-files": [[{}, "worldline export-files <cp> <folder>"]],
  why: [[{ path: "日志/a $b" }, "worldline why '日志/a $b'"]],
  run: [[{ command: "sh -c '<command>'" }, "worldline run -- sh -c '<command>'"]],
  find: [[{ test: "npm test" }, "worldline find -- npm test"]],
  "find --sample": [[{}, "worldline find --sample"]],
  help: [[{ of: "find" }, "worldline find --help"]],
  prove: [
    [{}, "worldline prove"],
    [{ limit: 8 }, "worldline prove --limit 8 <folder>"],
  ],
  forget: [
    [{}, "worldline forget"],
    [{ what: { any: "path" } }, "worldline forget <path>"],
    [{ what: "pipe" }, "worldline forget - --yes"],
  ],
  doctor: [
    [{}, "worldline doctor", "/doctor"],
    [{ fix: true }, "worldline doctor --fix"],
  ],
  "store verify": [[{}, "worldline store verify"]],
  "store gc": [
    [{}, "worldline store gc"],
    [{ dryRun: true }, "worldline store gc --dry-run"],
  ],
  config: [[{}, "worldline config", "/config"]],
  "config set": [
    [{ key: "a.b", value: "true" }, "worldline config set a.b true", "/config a.b true"],
    [{ key: "a.b", value: { any: "value" } }, "worldline config set a.b <value>", "/config a.b <value>"],
  ],
  "config trust": [[{}, "worldline config trust"]],
  setup: [
    [{}, "worldline setup", "/setup"],
    [{ provider: { any: "provider" } }, "worldline setup <provider>", "/setup"],
    [{ provider: "acme", key: "file" }, "worldline setup acme < <file>"],
    [{ provider: "acme", model: { any: "name" } }, "worldline setup acme --model <name>"],
  ],
  models: [
    [{}, "worldline models", "/model"],
    [{ json: true }, "worldline models --json", "/model"],
  ],
};

export const commandSamples = Object.entries(samples).flatMap(([name, rows]) =>
  rows.map(([command, shell, screen]) => ({ command: { do: name, ...command } as Command, shell, screen })),
);
