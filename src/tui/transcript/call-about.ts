/**
 * What a tool does, as far as its calls are shown otherwise for it. By name: ours, and those that the tools of other agents
 * have for the same.
 */
type ToolKind = "shell" | "change" | "questions" | "plan" | "other";

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

/**
 * What a call is about, with the start of a path in the workspace left out: some agents name whole paths only, and what tells
 * files apart stands at their end. A command stays as it was written.
 */
export function shownAbout(
  call: { readonly name: string; readonly about: string },
  workspace: string,
): string {
  const { name, about } = call;
  const start = `${workspace}/`;
  if (workspace === "" || toolKind(name) === "shell" || !about.startsWith(start)) return about;
  return about.slice(start.length) || about;
}
