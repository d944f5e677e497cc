import { models, providers, rules } from "../kinds/of-the-agent.ts";
import { fraction, oneOf, onOrOff, text, whole, wholeOr } from "../kinds.ts";
import type { Setting } from "../setting.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The settings that the agent reads. */
export const agentRows = {
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
