import { type Kind, onOrOff, whole } from "./kinds.ts";
import { agentRows } from "./rows/agent-rows.ts";
import { hostRows } from "./rows/host-rows.ts";
import { screenRows } from "./rows/screen-rows.ts";
import type { Setting } from "./setting.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Every setting. A new one is one row; a key's parts are the nesting in the file. */
const table = {
  enableFileCheckpointing: {
    kind: onOrOff,
    default: true,
    description:
      "Whether checkpoints hold the workspace's files. Without it they mark places in the conversation alone, and files " +
      "are neither captured nor restored.",
    untrusted: "nothing",
    variable: "WORLDLINE_FILE_CHECKPOINTING",
    contradiction: "warn",
  },
  checkpointKeepCount: {
    kind: whole({ from: 1, to: 100_000 }),
    default: 10,
    description:
      "How many of a session's newest checkpoints keep their files whatever room they need, and are listed in its " +
      "metadata.json; the log keeps all checkpoints.",
    untrusted: "higher",
  },
  "snapshots.maxFileBytes": {
    kind: whole({ from: 0, to: 1024 * GIB }),
    default: 64 * MIB,
    description: "Files larger than this are not captured, and named as not covered.",
    untrusted: "nothing",
  },
  "snapshots.maxBytes": {
    kind: whole({ from: MIB, to: 1024 * 1024 * GIB }),
    default: 10 * GIB,
    description:
      "How large the snapshot store may get before the files of old checkpoints are let go, as `worldline store gc` does it.",
    // There is one store for all workspaces.
    untrusted: "never",
  },
  "rewind.confirmDeletes": {
    kind: whole({ from: 0, to: 1_000_000_000 }),
    default: 50,
    description: "A journey that deletes more paths than this asks once more.",
    untrusted: "lower",
  },
  "watch.quietMs": {
    kind: whole({ from: 50, to: DAY_MS }),
    default: 2_000,
    description:
      "How long nothing must have changed before `worldline watch` and `worldline run` make a checkpoint, in milliseconds.",
    untrusted: "nothing",
  },
  "watch.maxMs": {
    kind: whole({ from: 50, to: DAY_MS }),
    default: 30_000,
    description:
      "While files keep changing, `worldline watch` and `worldline run` make a checkpoint this often, in milliseconds.",
    untrusted: "nothing",
  },
  "lock.waitMs": {
    kind: whole({ from: 0, to: DAY_MS }),
    default: 30_000,
    description: "How long a command waits for another program that writes to the session, in milliseconds.",
    untrusted: "lower",
  },
  "lock.leaseMs": {
    kind: whole({ from: 1_000, to: DAY_MS }),
    default: 30_000,
    description:
      "With a database: how long a session stays with a program on another machine that does not answer any more, in milliseconds.",
    untrusted: "nothing",
  },
  "log.rotateBytes": {
    kind: whole({ from: 4 * KIB, to: 1024 * GIB }),
    default: 64 * MIB,
    description: "The size past which a session's log goes on in a new file.",
    untrusted: "nothing",
  },
  "log.blobBytes": {
    kind: whole({ from: 256, to: 16 * MIB }),
    default: 16 * KIB,
    description: "Texts longer than this are kept in a file of their own beside the log.",
    untrusted: "nothing",
  },
  "trash.days": {
    kind: whole({ from: 0, to: 36_500 }),
    default: 30,
    description: "How long a deleted session can be brought back, in days.",
    // The trash is one for all workspaces: whoever tidies up removes what was deleted, and promised, elsewhere.
    untrusted: "never",
  },
  "context.window": {
    kind: whole({ from: 0, to: 100_000_000 }),
    default: 0,
    description:
      "How many tokens the model's context holds, where that should be another number than the model's own; 0 or absent = the model's own.",
    untrusted: "nothing",
  },
  ...agentRows,
  ...hostRows,
  ...screenRows,
} as const satisfies Readonly<Record<string, Setting>>;

type Table = typeof table;
export type SettingKey = keyof Table;

/** The value of every setting, by its dotted name: `settings["lock.waitMs"]`. */
export type Settings = {
  readonly [Key in SettingKey]: Table[Key]["kind"] extends Kind<infer Value> ? Value : never;
};

export const settingKeys = Object.keys(table) as readonly SettingKey[];

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(table, key);
}

export function settingOf(key: SettingKey): Setting {
  return table[key];
}

/** `lock.waitMs` is WORLDLINE_LOCK_WAIT_MS. */
export function variableOf(key: SettingKey): string {
  const snake = key.replaceAll(".", "_").replace(/[A-Z]/gu, (letter) => `_${letter}`);
  return settingOf(key).variable ?? `WORLDLINE_${snake.toUpperCase()}`;
}
