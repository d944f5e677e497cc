import { counted } from "../measures/counted.ts";
import type { CountsTold } from "../measures/outcomes.ts";
import { outcomesSeen } from "../measures/outcomes.ts";

interface Retried {
  readonly attempt: number;
  readonly of: number;
  readonly waitMs: number;
  readonly checkpoint: number;
  readonly message: string;
}

const scopes = {
  both: "files and conversation",
  conversation: "the conversation",
  files: "the files",
};

const reasons = {
  asked: "as asked",
  full: "because the context was nearly full",
  "too-long": "because the provider said that it is too long",
};

const number = (count: number): string => count.toLocaleString("en");

/** What stands in the conversation besides what was said in it. */
export const transcript = {
  images: (count: number) => counted(count, "image", "images"),
  thinking: "Thinking",
  thought: "Thought",
  calls: {
    asked: "waiting",
    running: "running",
    ok: "done",
    error: "failed",
    denied: "denied",
    interrupted: "interrupted",
  },
  milliseconds: (count: number) => `${count} ms`,
  seconds: (count: string) => `${count} s`,
  minutes: (minutes: number, seconds: number) => `${minutes} min ${seconds} s`,
  lines: (count: number) => counted(count, "line", "lines"),
  moreLines: (count: number) => `${counted(count, "more line", "more lines")}`,
  linesBefore: (count: number) => `${counted(count, "line", "lines")} before`,
  linesBeforeAtLeast: (count: number) => `at least ${counted(count, "line", "lines")} before`,
  more: (count: number) => `${number(count)} more`,
  card: {
    title: (to: number) => `Backtracked to #${to}`,
    left: (entries: number, tokens: number) =>
      `Left ${counted(entries, "entry", "entries")} behind, about ${counted(tokens, "token", "tokens")}`,
    prompt: (prompt: string) => `Back at: ${prompt}`,
    rationale: (why: string) => `Why: ${why}`,
    note: "Note to itself:",
    undo: "Undo this backtrack: /redo list",
  },
  /** What a journey left, which stays where it was. */
  left: {
    before: { backtrack: "Before the agent went back", redo: "Before the redo" },
    calls: (count: number) => counted(count, "tool call", "tool calls"),
    messages: (count: number) => counted(count, "message", "messages"),
    keys: { folded: "Ctrl+O expands", unfolded: "Ctrl+O collapses" },
  },
  restored: (counts: CountsTold) => {
    const seen = outcomesSeen(counts).map(([count, what]) =>
      what === "restored" ? `${counted(count, "path", "paths")} ${what}` : `${number(count)} ${what}`,
    );
    return seen.length === 0 ? "no path restored" : seen.join(", ");
  },
  rewound: (scope: keyof typeof scopes, to: number) => `Rewound ${scopes[scope]} to #${to}`,
  redone: (scope: keyof typeof scopes) => `Redone: ${scopes[scope]}`,
  outcomes: {
    restored: "restored",
    created: "created",
    removed: "removed",
    merged: "merged",
    kept: "kept",
    "not-restorable": "not restorable",
    "parent-changed": "folder replaced",
    failed: "failed",
  },
  /** Why a path was kept or failed, as the timeline has it. */
  reason: (why: string) => why,
  /** `after`: undefined where nobody knows. */
  compacted: (reason: keyof typeof reasons, before: number, after: number | undefined) =>
    `Compacted from about ${number(before)}${after === undefined ? "" : ` to ${number(after)}`} tokens, ${reasons[reason]}`,
  notCompacted: (why: string) => `Not compacted: ${why}`,
  interrupts: {
    person: "Interrupted. What was done so far is kept.",
    crash: "The program ended here before the turn did.",
    limit: "Stopped: the turn has come to its limit of steps.",
  },
  retry: ({ attempt, of, waitMs, checkpoint, message }: Retried) =>
    `Attempting recovery from last checkpoint (#${checkpoint}), ${attempt} of ${of}, in ` +
    `${Math.ceil(waitMs / 1_000)} s: ${message}`,
  times: (message: string, times: number) => (times === 1 ? message : `${message} (tried ${times} times)`),
  goOn: 'What was done is kept. Send "go on" to try again from here, or /model to choose another model.',
  replyCut: "The reply was cut: it is as long as the model allows.",
  title: (title: string) => `Title: ${title}`,
  label: (label: string, checkpoint: number | undefined) => {
    const of = checkpoint === undefined ? "" : ` of #${checkpoint}`;
    return label === "" ? `Label${of} removed` : `Label${of}: ${label}`;
  },
  files: {
    changed: (count: number) => `${counted(count, "file", "files")} changed`,
    list: (count: number) => `${counted(count, "file", "files")} changed: `,
    created: "new",
    deleted: "deleted",
  },
  todos: (done: number, of: number) => `Todos: ${done} of ${of} done`,
};
