import { counted } from "./measures/counted.ts";
import { outcomeCounts } from "./measures/outcomes.ts";

/** `log`, `tree` and `context`. */
export const looking = {
  earlier: (count: number, command: (words: string) => string) =>
    `${counted(count, "earlier entry", "earlier entries")}: ${command("log --limit 0")}`,
  noEntries: "No entries found.",
  damaged: {
    file: (file: string, why: string) => `${file}: ${why}`,
    line: (file: string, line: number, why: string) => `${file} line ${line} cannot be read: ${why}`,
    at: (file: string, line: number, why: string) => `${file} line ${line}: ${why}`,
  },
  toLine: (line: number) => `to line ${line}`,
  inWorkspace: (mode: string, workspace: string) => `${mode} session in ${workspace}`,
  modes: { agent: "agent's", workspace: "workspace's own", execution: "program's" },
  forkedFrom: (session: string) => `forked from ${session}`,
  importedFrom: (from: string, name: string) => `imported from ${from} (${name})`,
  image: (mediaType: string) => `[image ${mediaType}]`,
  thinking: "[thinking]",
  calls: (names: string) => `calls ${names}`,
  rationale: (why: string) => `Why: ${why}`,
  returnedTo: (prompt: string) => `Back at: ${prompt}`,
  contextFill: (percent: number) => `context ${percent} %`,
  snapshotOf: (number: number, state: string) => `of #${number}: ${state}`,
  changedOutside: "files changed while no tool ran",
  changedDuring: (calls: string) => `files changed while this ran: ${calls}`,
  restored: outcomeCounts,
  compacted: (before: number) => `at ${counted(before, "token", "tokens")}`,
  todos: (open: number, doing: number, done: number) => `${open} open, ${doing} doing, ${done} done`,
  unnamed: (place: string) => `${place} has no label any more`,
  executionNamed: (id: string) => `execution ${id}`,
  stepSaved: (index: number, name: string, attempt: number) => `step ${index} ${name}, attempt ${attempt}`,
  stepStatus: { pending: "begun", success: "done", failed: "failed" },
  stepDeleted: (index: number, attempt: number) => `checkpoint of step ${index}, attempt ${attempt} deleted`,
  executionFinished: "the program is done",
  stepDecided: { retry: "to be tried again", skip: "skipped", fail: "given up" },
  interruptedBy: (who: string) => `by ${who}`,
  rotated: (file: number) => `file ${file} begins`,
  foreign: "of a newer version; passed over",
  forgotten: "something in it was forgotten",
  head: "head",
  tip: (kind: string, line: number, count: number) =>
    `${kind}, line ${line}: ${counted(count, "entry", "entries")} left here`,
  damagedLines: (count: number) =>
    `${counted(count, "line", "lines")} of the log cannot be read: worldline log`,
  roles: { system: "system", user: "user", assistant: "assistant", tool: "tool" },
  breakpoint: "cache breakpoint",
  empty: "(empty)",
  toolCall: (name: string, call: string) => `[call ${name} ${call}]`,
  malformedCall: (text: string) => `not JSON: ${text}`,
  contextSize: (messages: number, tokens: number, basis: string) =>
    `${counted(messages, "message", "messages")}, ${counted(tokens, "token", "tokens")} (${basis})`,
  tokenBasis: { counted: "what the provider counted, the rest estimated", estimated: "estimated" },
  windowFill: (size: string, percent: number, window: number) =>
    `${size}, ${percent} % of ${window.toLocaleString("en")}`,
  windowUnknown: (why: string) => `How full the context is cannot be told: ${why}`,
};
