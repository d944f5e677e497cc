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
  readonly description: string;
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
    description:
      "The language that Worldline speaks: en, zh-CN, or auto, which is the one of LC_ALL, LC_MESSAGES and LANG; a " +
      "workspace has no say in it.",
    // The language is settled before the workspace is found, so that whatever goes wrong there can be said in it.
    untrusted: "never",
  },
  "ui.doubleEscapeMs": {
    kind: whole({ from: 100, to: 5_000 }),
    default: 500,
    description: "How soon a second Esc must follow the first to count as Esc Esc, in milliseconds.",
    untrusted: "nothing",
  },
  "ui.theme": {
    kind: oneOf("auto", "light", "dark"),
    default: "auto",
    description:
      "The colours of the screen: light, dark, or auto, which asks the terminal for its background.",
    untrusted: "nothing",
  },
  "ui.mouse": {
    kind: onOrOff,
    default: true,
    description: "Whether the screen takes the mouse, for scrolling.",
    untrusted: "nothing",
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** The settings that the agent reads. */
const agentRows = {
  model: {
    kind: text,
    default: "",
    description:
      "The model that the agent works with, as provider/name; where it is empty, what the keys in the environment allow.",
    untrusted: "nothing",
  },
  models: {
    kind: models,
    default: {},
    description:
      "What is known of models beyond the built-in table, by provider/name: window and maxOutput in tokens; input, output, " +
      "cacheRead and cacheWrite in dollars per million tokens.",
    untrusted: "nothing",
    layers: "union",
  },
  providers: {
    kind: providers,
    default: {},
    description:
      "Providers beyond the built-in ones, by name: kind, baseUrl, keyVariable (the variable that holds the key) and model.",
    untrusted: "nothing",
    layers: "union",
  },
  "permissions.mode": {
    kind: oneOf("manual", "accept-edits", "plan", "auto"),
    default: "manual",
    description: "What the agent may do without asking: plan, manual, accept-edits or auto.",
    untrusted: "narrower",
    narrowestFirst: ["plan", "manual", "accept-edits", "auto"],
  },
  "permissions.allow": {
    kind: rules,
    default: [],
    description: "Rules for what the agent may do without asking.",
    untrusted: "nothing",
    layers: "union",
  },
  "permissions.ask": {
    kind: rules,
    default: [],
    description: "Rules for what is asked about in every mode.",
    untrusted: "add",
    layers: "union",
  },
  "permissions.deny": {
    kind: rules,
    default: [],
    description: "Rules for what the agent may never do, in any mode.",
    untrusted: "add",
    layers: "union",
  },
  "backtrack.enabled": {
    kind: onOrOff,
    default: true,
    description: "Whether new sessions have the Backtrack tool.",
    untrusted: "nothing",
  },
  "backtrack.maxPerTurn": {
    kind: whole({ from: 0, to: 10_000 }),
    default: 32,
    description: "How often the agent may go back in one turn.",
    untrusted: "lower",
  },
  "backtrack.display": {
    kind: oneOf("card", "line", "off"),
    default: "card",
    description:
      "How a backtrack is shown: card, line or off; the log and the JSON formats have it in any case.",
    untrusted: "nothing",
  },
  "backtrack.mention": {
    kind: oneOf("allowed", "never"),
    default: "allowed",
    description: "Whether the model may tell you that it went back: allowed, or never.",
    untrusted: "nothing",
  },
  "compaction.ratio": {
    kind: fraction({ from: 0.1, to: 1 }),
    default: 0.85,
    description: "How full the context gets, as a part of the window, before it is compacted.",
    untrusted: "nothing",
  },
  "compaction.reserve": {
    kind: wholeOr("auto", { from: 0, to: 10_000_000 }),
    default: "auto",
    description:
      "How many tokens of the window stay free for the reply and the results of its calls before the context is " +
      "compacted; auto is 50000 or a quarter of the window, whichever is less. More than half of the window counts as half.",
    untrusted: "nothing",
  },
  "compaction.keep": {
    kind: whole({ from: 0, to: 1_000 }),
    default: 2,
    description:
      "How many of the newest exchanges, a reply with its results each, a compaction keeps word for word.",
    untrusted: "nothing",
  },
  "compaction.model": {
    kind: text,
    default: "",
    description: "The model that writes summaries, as provider/name; where it is empty, the one at work.",
    untrusted: "nothing",
  },
  "compaction.auto": {
    kind: onOrOff,
    default: true,
    description: "Whether the context is compacted by itself when it is full.",
    untrusted: "nothing",
  },
  "recovery.maxRetries": {
    kind: whole({ from: 0, to: 100 }),
    default: 3,
    description: "How often a model call that failed is tried again.",
    untrusted: "lower",
  },
  "snapshots.firstWaitMs": {
    kind: whole({ from: 0, to: DAY_MS }),
    default: 60_000,
    description:
      "How long tools that change files wait for the first capture of a workspace, in milliseconds.",
    untrusted: "nothing",
  },
  "agent.maxSteps": {
    kind: whole({ from: 1, to: 1_000_000 }),
    default: 100,
    description: "How many model calls one turn may make; those that a backtrack took back are not counted.",
    untrusted: "lower",
  },
  "agent.silenceMs": {
    kind: whole({ from: 10, to: DAY_MS }),
    default: 300_000,
    description:
      "A model's reply of which nothing comes for this long counts as cut, in milliseconds; pings and empty deltas are nothing.",
    untrusted: "nothing",
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** The settings about whose agent works on the timeline. */
const hostRows = {
  host: {
    kind: oneOf("native", "claude"),
    default: "native",
    description:
      "Whose agent works on the timeline: native, which is Worldline's own, or claude, which is the Claude Agent SDK. A " +
      "session goes on with the one that it had.",
    untrusted: "nothing",
  },
  "claude.sdk": {
    kind: text,
    default: "",
    description:
      "The folder in which the Claude Agent SDK is installed; where it is empty, it is looked for beside Worldline.",
    // A workspace that is trusted may name programs to start, but not whose code gets the keys.
    untrusted: "never",
  },
  "claude.model": {
    kind: text,
    default: "",
    description:
      "The model of the host claude, as the Claude Agent SDK calls it; where it is empty, the SDK chooses.",
    untrusted: "nothing",
  },
  "snapshots.engine": {
    kind: oneOf("worldline", "sdk"),
    default: "worldline",
    description:
      "What brings files back when a session of the host claude is rewound: worldline, or sdk, the Claude Agent SDK's own " +
      "checkpoints, which know only what its editing tools did.",
    // The SDK's own bring less back.
    untrusted: "nothing",
  },
} as const satisfies Readonly<Record<string, Setting>>;

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
