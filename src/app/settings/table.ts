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
 * How far a workspace's own file may move a value before the person trusts it. A cloned repository must
 * not make Worldline keep less, wait longer, cost more, do more or send the conversation elsewhere than its user chose.
 * "narrower": towards the front of `narrowestFirst`. "add": what it adds to a list counts. "never": nor when it is
 * trusted, because the value decides about what belongs to other workspaces.
 */
type Untrusted = "nothing" | "lower" | "higher" | "narrower" | "add" | "never";

interface Setting<Value extends SettingValue = SettingValue> {
  readonly kind: Kind<Value>;
  readonly default: Value;
  readonly untrusted: Untrusted;
  /** "union": lists are added up over the layers, and of tables the rows; else the strongest layer's word counts alone. */
  readonly layers?: "union";
  /** For words that can be compared. */
  readonly narrowestFirst?: readonly string[];
  /** Where the variable's name is not the one made from the key; see `variableOf`. */
  readonly variable?: string;
  /** Whether a variable that says the opposite of a settings file is worth a warning. */
  readonly contradiction?: "warn";
}

/** The three files, from the weakest to the strongest. */
export type FileLayer = "user" | "workspace" | "local";

/** Where a value stands, so that a person finds it. */
export type Source =
  | { readonly layer: "default" }
  | { readonly layer: FileLayer; readonly file: string; readonly line: number; readonly column: number }
  | { readonly layer: "environment"; readonly variable: string }
  | { readonly layer: "flag" };

/** One layer's word about one setting. */
export interface GivenValue {
  readonly key: SettingKey;
  readonly value: SettingValue;
  readonly source: Source;
  /** Of a list in a file: where each item stands, in the list's order. */
  readonly places?: readonly { readonly line: number; readonly column: number }[];
}

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The settings about how Worldline speaks and looks. */
const screenRows = {
  language: {
    kind: oneOf("auto", "en", "zh-CN"),
    default: "auto",
    // The language is settled before the workspace is found, so that whatever goes wrong there can be said in it.
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

/** The settings about whose agent works on the timeline. */
const hostRows = {
  host: {
    kind: oneOf("native", "claude"),
    default: "native",
    untrusted: "nothing",
  },
  "claude.sdk": {
    kind: text,
    default: "",
    // A workspace that is trusted may name programs to start, but not whose code gets the keys.
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
    // The SDK's own bring less back.
    untrusted: "nothing",
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** Every setting. A new one is one row; a key's parts are the nesting in the file. */
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
    // There is one store for all workspaces.
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
    // The trash is one for all workspaces: whoever tidies up removes what was deleted, and promised, elsewhere.
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
