import type { Reach } from "../../../agent/tools/tool.ts";
import { BACKTRACK_TOOL } from "../../../record/parts.ts";

/** What is known of a tool of the SDK before its input is looked at. */
export interface KnownTool {
  /** What rules call it; by default as the SDK does. */
  readonly rules?: string;
  readonly reach: Reach;
  /** The field of its input that names a file or folder, and what is done to it. */
  readonly path?: { readonly field: string; readonly access: "read" | "write" };
  /** The field that tells a person what it is about. */
  readonly about?: string;
  /** Why a mode alone does not let it pass, not even auto. */
  readonly beyond?: string;
}

const OUTLIVES = "it goes on when the turn has ended";
const LEAVES = "it reaches beyond this session";

const READING: Readonly<Record<string, KnownTool>> = {
  Read: { reach: "reads", path: { field: "file_path", access: "read" } },
  NotebookRead: { rules: "Read", reach: "reads", path: { field: "notebook_path", access: "read" } },
  LS: { rules: "Read", reach: "reads", path: { field: "path", access: "read" } },
  Glob: { reach: "reads", about: "pattern" },
  Grep: { reach: "reads", about: "pattern" },
  WebFetch: { reach: "reads", about: "url" },
  WebSearch: { reach: "reads", about: "query" },
  ListMcpResourcesTool: { reach: "reads", about: "server" },
  ReadMcpResourceTool: { reach: "reads", about: "uri" },
  ReadMcpResourceDirTool: { reach: "reads", about: "uri" },
};

const WRITING: Readonly<Record<string, KnownTool>> = {
  Write: { reach: "files", path: { field: "file_path", access: "write" } },
  Edit: { reach: "files", path: { field: "file_path", access: "write" } },
  MultiEdit: { rules: "Edit", reach: "files", path: { field: "file_path", access: "write" } },
  NotebookEdit: { rules: "Edit", reach: "files", path: { field: "notebook_path", access: "write" } },
};

/** What concerns the agent itself, its lists and commands that it has started. */
const STEERING: Readonly<Record<string, KnownTool>> = {
  TodoWrite: { reach: "nothing" },
  TaskCreate: { rules: "TodoWrite", reach: "nothing", about: "subject" },
  TaskGet: { rules: "TodoWrite", reach: "nothing", about: "taskId" },
  TaskUpdate: { rules: "TodoWrite", reach: "nothing", about: "taskId" },
  TaskList: { rules: "TodoWrite", reach: "nothing" },
  TaskOutput: { rules: "BashOutput", reach: "nothing", about: "task_id" },
  BashOutput: { reach: "nothing", about: "bash_id" },
  TaskStop: { rules: "KillShell", reach: "nothing", about: "task_id" },
  KillShell: { reach: "nothing", about: "shell_id" },
  AskUserQuestion: { rules: "AskUser", reach: "nothing" },
  ExitPlanMode: { reach: "nothing", about: "plan" },
  ToolSearch: { reach: "nothing", about: "query" },
  ReportFindings: { reach: "nothing" },
  ListAgents: { reach: "nothing" },
  // Ours, which refuses by itself what plan mode does not allow.
  [BACKTRACK_TOOL]: { reach: "nothing" },
};

/** A skill may run commands while it is read, which no hook hears of. */
const RUNNING: Readonly<Record<string, KnownTool>> = {
  Bash: { reach: "anything", about: "command" },
  Agent: { rules: "Task", reach: "anything", about: "description" },
  Task: { reach: "anything", about: "description" },
  Skill: { reach: "anything", about: "skill" },
  Workflow: { reach: "anything", about: "description" },
  Monitor: { reach: "anything", about: "description", beyond: OUTLIVES },
  RemoteTrigger: { reach: "anything", about: "action", beyond: LEAVES },
  SendMessage: { reach: "anything", about: "message", beyond: LEAVES },
  SendFeedback: { reach: "anything", about: "title", beyond: LEAVES },
  PushNotification: { reach: "anything", about: "message", beyond: LEAVES },
  Artifact: { reach: "anything", about: "file_path", beyond: LEAVES },
  Projects: { reach: "anything", about: "method", beyond: LEAVES },
  ClaudeDesign: { reach: "anything", about: "operation", beyond: LEAVES },
};

const KNOWN = new Map(Object.entries({ ...READING, ...WRITING, ...STEERING, ...RUNNING }));

/** What nobody here has heard of may do anything. */
export function knownTool(name: string): KnownTool {
  return KNOWN.get(name) ?? { reach: "anything" };
}
