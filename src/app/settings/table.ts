import {
  fraction,
  type Kind,
  models,
  oneOf,
  onOrOff,
  providers,
  rules,
  type SettingValue,
  text,
  whole,
  wholeOr,
} from "./kinds.ts";

/**
 * How far a workspace's own file may change a value before the user trusts it. A cloned repository must not make
 * Worldline keep less, wait longer, cost more, or do more than its user chose, or send the conversation elsewhere.
 */
type Untrusted = "nothing" | "lower" | "higher" | "narrower" | "add" | "never";

interface Setting<Value extends SettingValue = SettingValue> {
  readonly kind: Kind<Value>;
  readonly default: Value;
  readonly untrusted: Untrusted;
  /**
   * "union": all layers are combined, item by item or row by row. Otherwise, the layer with the highest precedence
   * wins.
   */
  readonly layers?: "union";
  /** The words in order, for settings whose words can be compared. */
  readonly narrowestFirst?: readonly string[];
  /** The name of the environment variable, if it is not derived from the key; see `variableOf`. */
  readonly variable?: string;
  /** Whether the user is warned if an environment variable contradicts a settings file. */
  readonly contradiction?: "warn";
}

/** The three settings files, lowest precedence first. */
export type FileLayer = "user" | "workspace" | "local";

/** The place where a value is set, so that the user can find it. */
export type Source =
  | { readonly layer: "default" }
  | { readonly layer: FileLayer; readonly file: string; readonly line: number; readonly column: number }
  | { readonly layer: "environment"; readonly variable: string }
  | { readonly layer: "flag" };

/** One layer's value for one setting. */
export interface GivenValue {
  readonly key: SettingKey;
  readonly value: SettingValue;
  readonly source: Source;
  /** The positions of a list's items in a file, in the same order. */
  readonly places?: readonly { readonly line: number; readonly column: number }[];
}

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The settings for Worldline's language and appearance. */
const screenRows = {
  language: {
    kind: oneOf("auto", "en", "zh-CN"),
    default: "auto",
    // The language is determined before the workspace is known, so that errors while finding the workspace are
    // translated too.
    untrusted: "never",
  },
  "ui.doubleEscapeMs": {
    kind: whole({ from: 100, to: 5_000 }),
    default: 500,
    untrusted: "nothing",
  },
  "ui.theme": {
    kind: oneOf("auto", "light", "dark"),
    default: "auto",
    untrusted: "nothing",
  },
  "ui.mouse": {
    kind: onOrOff,
    default: true,
    untrusted: "nothing",
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** The settings that the agent reads. */
const agentRows = {
  model: {
    kind: text,
    default: "",
    untrusted: "nothing",
  },
  models: {
    kind: models,
    default: {},
    untrusted: "nothing",
    layers: "union",
  },
  providers: {
    kind: providers,
    default: {},
    untrusted: "nothing",
    layers: "union",
  },
  "permissions.mode": {
    kind: oneOf("manual", "accept-edits", "plan", "auto"),
    default: "manual",
    untrusted: "narrower",
    narrowestFirst: ["plan", "manual", "accept-edits", "auto"],
  },
  "permissions.allow": {
    kind: rules,
    default: [],
    untrusted: "nothing",
    layers: "union",
  },
  "permissions.ask": {
    kind: rules,
    default: [],
    untrusted: "add",
    layers: "union",
  },
  "permissions.deny": {
    kind: rules,
    default: [],
    untrusted: "add",
    layers: "union",
  },
  "backtrack.enabled": {
    kind: onOrOff,
    default: true,
    untrusted: "nothing",
  },
  "backtrack.maxPerTurn": {
    kind: whole({ from: 0, to: 10_000 }),
    default: 32,
    untrusted: "lower",
  },
  "backtrack.display": {
    kind: oneOf("card", "line", "off"),
    default: "card",
    untrusted: "nothing",
  },
  "backtrack.mention": {
    kind: oneOf("allowed", "never"),
    default: "allowed",
    untrusted: "nothing",
  },
  "compaction.ratio": {
    kind: fraction({ from: 0.1, to: 1 }),
    default: 0.85,
    untrusted: "nothing",
  },
  "compaction.reserve": {
    kind: wholeOr("auto", { from: 0, to: 10_000_000 }),
    default: "auto",
    untrusted: "nothing",
  },
  "compaction.keep": {
    kind: whole({ from: 0, to: 1_000 }),
    default: 2,
    untrusted: "nothing",
  },
  "compaction.model": {
    kind: text,
    default: "",
    untrusted: "nothing",
  },
  "compaction.auto": {
    kind: onOrOff,
    default: true,
    untrusted: "nothing",
  },
  "recovery.maxRetries": {
    kind: whole({ from: 0, to: 100 }),
    default: 3,
    untrusted: "lower",
  },
  "snapshots.firstWaitMs": {
    kind: whole({ from: 0, to: DAY_MS }),
    default: 60_000,
    untrusted: "nothing",
  },
  "agent.maxSteps": {
    kind: whole({ from: 1, to: 1_000_000 }),
    default: 100,
    untrusted: "lower",
  },
  "agent.silenceMs": {
    kind: whole({ from: 10, to: DAY_MS }),
    default: 300_000,
    untrusted: "nothing",
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** The settings for the agent's host. */
const hostRows = {
  host: {
    kind: oneOf("native", "claude"),
    default: "native",
    untrusted: "nothing",
  },
  "claude.sdk": {
    kind: text,
    default: "",
    // A trusted workspace may name programs to start, but not code that receives the user's API keys.
    untrusted: "never",
  },
  "claude.model": {
    kind: text,
    default: "",
    untrusted: "nothing",
  },
  "snapshots.engine": {
    kind: oneOf("worldline", "sdk"),
    default: "worldline",
    // The SDK's own checkpoints restore fewer changes than Worldline's snapshots.
    untrusted: "nothing",
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** All settings. To add a setting, add a row. The parts of its key show how it is nested in the file. */
const table = {
  enableFileCheckpointing: {
    kind: onOrOff,
    default: true,
    untrusted: "nothing",
    variable: "WORLDLINE_FILE_CHECKPOINTING",
    contradiction: "warn",
  },
  checkpointKeepCount: {
    kind: whole({ from: 1, to: 100_000 }),
    default: 10,
    untrusted: "higher",
  },
  "snapshots.maxFileBytes": {
    kind: whole({ from: 0, to: 1024 * GIB }),
    default: 64 * MIB,
    untrusted: "nothing",
  },
  "snapshots.maxBytes": {
    kind: whole({ from: MIB, to: 1024 * 1024 * GIB }),
    default: 10 * GIB,
    // All workspaces share one store.
    untrusted: "never",
  },
  "rewind.confirmDeletes": {
    kind: whole({ from: 0, to: 1_000_000_000 }),
    default: 50,
    untrusted: "lower",
  },
  "watch.quietMs": {
    kind: whole({ from: 50, to: DAY_MS }),
    default: 2_000,
    untrusted: "nothing",
  },
  "watch.maxMs": {
    kind: whole({ from: 50, to: DAY_MS }),
    default: 30_000,
    untrusted: "nothing",
  },
  "lock.waitMs": {
    kind: whole({ from: 0, to: DAY_MS }),
    default: 30_000,
    untrusted: "lower",
  },
  "lock.leaseMs": {
    kind: whole({ from: 1_000, to: DAY_MS }),
    default: 30_000,
    untrusted: "nothing",
  },
  "log.rotateBytes": {
    kind: whole({ from: 4 * KIB, to: 1024 * GIB }),
    default: 64 * MIB,
    untrusted: "nothing",
  },
  "log.blobBytes": {
    kind: whole({ from: 256, to: 16 * MIB }),
    default: 16 * KIB,
    untrusted: "nothing",
  },
  "trash.days": {
    kind: whole({ from: 0, to: 36_500 }),
    default: 30,
    // All workspaces share one trash, so a cleanup with a shorter time would remove other workspaces' sessions too
    // early.
    untrusted: "never",
  },
  "context.window": {
    kind: whole({ from: 0, to: 100_000_000 }),
    default: 0,
    untrusted: "nothing",
  },
  ...agentRows,
  ...hostRows,
  ...screenRows,
} as const satisfies Readonly<Record<string, Setting>>;

type Table = typeof table;
export type SettingKey = keyof Table;

/** The value of every setting, by its dotted name, as in `settings["lock.waitMs"]`. */
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

/** Returns the environment variable for a setting, such as WORLDLINE_LOCK_WAIT_MS for `lock.waitMs`. */
export function variableOf(key: SettingKey): string {
  const snake = key.replaceAll(".", "_").replace(/[A-Z]/gu, (letter) => `_${letter}`);
  return settingOf(key).variable ?? `WORLDLINE_${snake.toUpperCase()}`;
}
