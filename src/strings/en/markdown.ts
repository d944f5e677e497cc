import { counted, outcomeCounts } from "./measures.ts";

const scopes = { both: "conversation and files", conversation: "conversation", files: "files" };
const outcomes = { ok: "ok", error: "error", denied: "denied", interrupted: "interrupted" };
const interrupters = {
  person: "Interrupted by the user.",
  crash: "Interrupted by a crash.",
  limit: "Interrupted at the step limit.",
};

/** Strings for a session's transcript in Markdown. Their parameters are already Markdown. */
export const markdown = {
  untitled: "Untitled session",
  session: (id: string) => `Session ${id}`,
  workspace: (path: string) => `Workspace ${path}`,
  used: (created: string, used: string) => `Created ${created}, last used ${used}`,
  damaged: (count: number) => `${counted(count, "part", "parts")} of the log cannot be read`,
  left: (journey: "backtrack" | "redo", prompts: number, replies: number) => {
    const before = journey === "backtrack" ? "Before the agent went back" : "Before the redo";
    return `${before}: ${counted(prompts, "prompt", "prompts")}, ${counted(replies, "reply", "replies")}`;
  },
  forgotten: (at: string) => `Some content of this entry was permanently removed (${at}).`,
  checkpoint: (number: number) => `Checkpoint ${number}`,
  step: (number: number) => `Step ${number}`,
  failed: (name: string) => `${name} (failed)`,
  named: (place: string, names: readonly string[]) => `${place}: ${names.join(", ")}`,
  fill: (percent: number) => ` (${percent}% context)`,
  prompt: "**Prompt**",
  reply: (model: string) => `**Reply** (${model})`,
  cutOff: "The reply was cut off here.",
  longest: "The reply reached its maximum length here.",
  thinking: "Thinking",
  call: (tool: string) => `**Call to ${tool}**`,
  ranWith: (tool: string) => `**Actual input to ${tool}**`,
  command: "**The user ran**",
  result: (tool: string, outcome: keyof typeof outcomes) => `**Result of ${tool}** (${outcomes[outcome]})`,
  image: (type: string) => `(an image, ${type})`,
  notice: "**Notice to the model**",
  wentBack: (to: number) => `**The agent went back to checkpoint ${to}**, with a note to itself:`,
  why: (rationale: string) => `Why: ${rationale}`,
  backAt: (prompt: string) => `Back to the prompt: ${prompt}`,
  carriedPrompts: "**Prompts sent before the agent went back**",
  rewound: (to: number, scope: keyof typeof scopes) => `**Rewound to checkpoint ${to}** (${scopes[scope]}).`,
  redone: (journey: string) => `**Redone**, back to where ${journey} started.`,
  compacted: "**Compacted.** In the model's context, this summary replaces everything before it:",
  files: (counts: Parameters<typeof outcomeCounts>[0]) => `Files: ${outcomeCounts(counts)}.`,
  todos: "**Todos**",
  doing: (todo: string) => `${todo} (in progress)`,
  interrupted: (by: keyof typeof interrupters) => interrupters[by],
  error: (code: string) => `**Error ${code}**`,
  host: (host: string, session: string) => `Continued in ${host}, session ${session}.`,
  foreign: (kind: string) => `This version does not recognize this entry (kind: ${kind}).`,
};
