import { counted } from "../measures/counted.ts";
import type { CountsTold } from "../measures/outcomes.ts";
import { outcomeCounts } from "../measures/outcomes.ts";

interface Card {
  readonly to: number;
  readonly entries: number;
  readonly tokens: number;
  readonly note: string;
}

interface Compacted {
  readonly before: number;
  readonly after: number;
  readonly reason: "asked" | "full" | "too-long";
}

interface Retried {
  readonly attempt: number;
  readonly of: number;
  readonly waitMs: number;
  readonly checkpoint: number;
  readonly message: string;
}

const reasons = {
  asked: "as asked",
  full: "the context was nearly full",
  "too-long": "the provider said that it is too long",
};

const scopes = {
  both: "files and conversation",
  conversation: "the conversation",
  files: "the files",
};

const place = (to: number | undefined) => (to === undefined ? "" : ` to #${to}`);

/** What is said beside an answer of the agent. */
export const agent = {
  mcpUntrusted: (file: string) =>
    `${file} is not trusted yet, so its servers are not started. See what it starts, then: worldline config trust`,
  mcpTrouble: (server: string, message: string, hint: string) => `MCP server ${server}: ${message} ${hint}`,
  unusedInstructions: {
    link: (file: string) =>
      `${file} is a link, which may lead anywhere, so the agent does not read it. Put a file in its place.`,
    "no-file": (file: string) => `${file} is no file, so the agent does not read it.`,
    unreadable: (file: string) => `${file} cannot be read, so the agent works without it.`,
    cut: (file: string) => `${file} is so long that the agent gets only its beginning: 40,000 characters.`,
  },
  silentPipe: (waitedMs: number) =>
    `Nothing came through standard input within ${waitedMs / 1_000} s; going on without it. ` +
    "Give it < /dev/null where nothing is to come.",
  resumed: (session: string) => `Going on with session ${session}`,
  forked: (session: string) => `Going on in a copy, session ${session}`,
  tool: (name: string, about: string) => (about === "" ? name : `${name} ${about}`),
  earlierCall: "A call of before",
  toolFailed: (name: string, why: string) => `${name} failed: ${why}`,
  toolDenied: (name: string, why: string) => `${name} denied: ${why}`,
  toolInterrupted: (name: string) => `${name} interrupted`,
  retry: ({ attempt, of, waitMs, checkpoint, message }: Retried) =>
    `Attempting recovery from last checkpoint (#${checkpoint}), ${attempt} of ${of}, in ` +
    `${Math.ceil(waitMs / 1_000)} s: ${message}`,
  waitingForCapture: "Waiting until the workspace's files are captured",
  backtracked: ({ to, entries, tokens }: Card) =>
    `Backtracked to #${to}: left ${counted(entries, "entry", "entries")} behind, ` +
    `about ${counted(tokens, "token", "tokens")}`,
  backtrackedTo: (prompt: string) => `  to: ${prompt}`,
  backtrackedBecause: (why: string) => `  why: ${why}`,
  backtrackRestored: (counts: CountsTold) => `  files: ${outcomeCounts(counts)}`,
  journeys: {
    rewind: (scope: keyof typeof scopes, to?: number) => `Rewound ${scopes[scope]}${place(to)}`,
    redo: (scope: keyof typeof scopes, to?: number) => `Redone ${scopes[scope]}${place(to)}`,
  },
  compacted: ({ before, after, reason }: Compacted) =>
    `Compacted, because ${reasons[reason]}: about ${before.toLocaleString("en")} tokens are now ` +
    `${after.toLocaleString("en")}`,
  notCompacted: (why: string) => `Not compacted: ${why}`,
  files: (count: number) => `${counted(count, "file", "files")} changed:`,
  changes: { created: "created", changed: "changed", deleted: "deleted" },
  lines: (added: number, removed: number) => `+${added} -${removed}`,
  moreFiles: (count: number) => `and ${count} more`,
  denied: (count: number) => `Denied, because nobody can be asked here: ${counted(count, "call", "calls")}`,
  interrupting: "Interrupting; Ctrl-C once more stops at once",
  interrupted: "Interrupted. What was done so far is kept.",
  resumeWith: (command: string) => `To go on: ${command}`,
  chooseSession: "Which session?",
};
