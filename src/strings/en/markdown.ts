import { counted, outcomeCounts } from "./measures.ts";

const scopes = { both: "conversation and files", conversation: "conversation", files: "files" };
const outcomes = { ok: "ok", error: "error", denied: "denied", interrupted: "interrupted" };
const interrupters = { person: "person", crash: "crash", limit: "limit" };

/** The texts of a session's transcript in Markdown. Their parameters are Markdown already. */
export const markdown = {
  untitled: "A session without a title",
  session: (id: string) => `Session ${id}`,
  workspace: (path: string) => `Workspace ${path}`,
  used: (created: string, used: string) => `Begun ${created}, last used ${used}`,
  damaged: (count: number) => `${counted(count, "part", "parts")} of its log cannot be read`,
  left: (journey: "backtrack" | "redo", prompts: number, replies: number) => {
    const before = journey === "backtrack" ? "Before the agent went back" : "Before the redo";
    return `${before}: ${counted(prompts, "prompt", "prompts")}, ${counted(replies, "reply", "replies")}`;
  },
  forgotten: (at: string) => `Something that stood here was forgotten by its owner, ${at}.`,
  checkpoint: (number: number) => `Checkpoint ${number}`,
  step: (number: number) => `Step ${number}`,
  failed: (name: string) => `${name} (failed)`,
  named: (place: string, names: readonly string[]) => `${place}: ${names.join(", ")}`,
  fill: (percent: number) => ` (context ${percent} %)`,
  prompt: "**Prompt**",
  reply: (model: string) => `**Reply** (${model})`,
  cutOff: "The reply was cut off here.",
  longest: "The reply reached its longest length here.",
  thinking: "Thinking",
  call: (tool: string) => `**Call of ${tool}**`,
  ranWith: (tool: string) => `**${tool} was run with**`,
  command: "**The person ran**",
  result: (tool: string, outcome: keyof typeof outcomes) => `**Result of ${tool}** (${outcomes[outcome]})`,
  image: (type: string) => `(an image, ${type})`,
  notice: "**Told to the model**",
  wentBack: (to: number) => `**The agent went back to checkpoint ${to}**, with a note to itself:`,
  why: (rationale: string) => `Why: ${rationale}`,
  backAt: (prompt: string) => `Back at the prompt: ${prompt}`,
  carriedPrompts: "**Prompts given before the agent went back**",
  rewound: (to: number, scope: keyof typeof scopes) => `**Rewound to checkpoint ${to}** (${scopes[scope]}).`,
  redone: (journey: string) => `**Went forward again**, to where ${journey} had left from.`,
  compacted: "**Compacted.** In what the model sees, this summary stands for what came before:",
  files: (counts: Parameters<typeof outcomeCounts>[0]) => `Files: ${outcomeCounts(counts)}.`,
  todos: "**Todos**",
  doing: (todo: string) => `${todo} (doing)`,
  interrupted: (by: keyof typeof interrupters) => `Interrupted by the ${interrupters[by]}.`,
  error: (code: string) => `**Error ${code}**`,
  host: (host: string, session: string) => `Went on in ${host}, session ${session}.`,
  foreign: (kind: string) => `An entry of kind ${kind}, which this version does not know.`,
};
