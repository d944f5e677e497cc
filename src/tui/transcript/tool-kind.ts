/**
 * What a tool does, as far as its calls are shown otherwise for it. By name: ours, and those that the tools of other agents
 * have for the same.
 */
export type ToolKind = "shell" | "change" | "questions" | "plan" | "other";

const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ["Bash", "shell"],
  ["Shell", "shell"],
  ["Edit", "change"],
  ["Write", "change"],
  ["NotebookEdit", "change"],
  ["AskUser", "questions"],
  ["AskUserQuestion", "questions"],
  ["ExitPlanMode", "plan"],
]);

export function toolKind(name: string): ToolKind {
  return KINDS.get(name) ?? "other";
}
