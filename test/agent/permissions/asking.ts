import { posix } from "node:path";
import { type DecideRequest, type Decision, decide } from "../../../src/agent/permissions/decide.ts";
import type { Rules, Subject } from "../../../src/agent/permissions/rules.ts";
import { loadGrammar } from "../../../src/agent/permissions/shell/plain-line.ts";
import { type CommandPlan, planCommand } from "../../../src/agent/permissions/unasked/plan.ts";
import type { Sight } from "../../../src/agent/permissions/unasked/sight.ts";

export const WORKSPACE = "/home/me/project";
const HOME = "/home/me";

export interface Circumstances extends Partial<Rules> {
  readonly mode?: DecideRequest["mode"];
  readonly granted?: readonly string[];
}

const reaches = { Write: "files", Edit: "files", Bash: "anything" } as const;

function decideOn(
  tool: string,
  subject: Subject,
  { mode = "manual", granted = [], ...rules }: Circumstances,
): Decision {
  return decide({
    tool,
    reach: tool.startsWith("mcp__") ? "anything" : (reaches[tool as keyof typeof reaches] ?? "reads"),
    subjects: [subject],
    mode,
    rules: { allow: [], ask: [], deny: [], ...rules },
    workspace: WORKSPACE,
    granted,
    home: HOME,
  });
}

/**
 * A file system in which every path is a file except for a few folders. Only paths that end with `link` are links, and
 * lead out of the workspace.
 */
const sight: Sight = {
  place: (path) => (path.endsWith("link") ? "/elsewhere/file" : posix.resolve(path)),
  kind: (path) => (["project", "src", "lock"].includes(posix.basename(path)) ? "folder" : "file"),
  program: (name) => `/usr/bin/${name}`,
  repository: () => WORKSPACE,
};

await loadGrammar();

/** Returns the plan of a command, if it has one. */
export function planned(command: string): { plan?: CommandPlan } {
  const plan = planHere(command);
  return plan === undefined ? {} : { plan };
}

/** Plans a command in the file system above, except for what is `different`. */
export function planHere(
  command: string,
  { folder = WORKSPACE, ...different }: Partial<Sight> & { readonly folder?: string } = {},
): CommandPlan | undefined {
  return planCommand(command, { workspace: WORKSPACE, home: HOME, folder }, { ...sight, ...different });
}

export function decideCommand(command: string, given: Circumstances = {}): Decision {
  return decideOn("Bash", { kind: "command", command, ...planned(command) }, given);
}

/** Relative paths are resolved in the workspace. */
export function decidePath(tool: string, path: string, given: Circumstances = {}): Decision {
  const access = tool === "Write" || tool === "Edit" ? "write" : "read";
  return decideOn(
    tool,
    { kind: "path", path: path.startsWith("/") ? path : `${WORKSPACE}/${path}`, access },
    given,
  );
}

export function decideUrl(url: string, given: Circumstances = {}): Decision {
  return decideOn("WebFetch", { kind: "url", url }, given);
}

export function decideTool(tool: string, given: Circumstances = {}): Decision {
  return decideOn(tool, { kind: "tool" }, given);
}
