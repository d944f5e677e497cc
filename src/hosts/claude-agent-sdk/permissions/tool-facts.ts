import { join, posix } from "node:path";
import type { Reach, Subject } from "../../../agent/permissions/rules.ts";
import { onlyLooks } from "../../../agent/permissions/unasked/plan.ts";
import { commandSubjects } from "../../../agent/tools/bash/run-plan.ts";
import { placeOf } from "../../../agent/tools/files.ts";
import { oneLine } from "../../../agent/tools/text.ts";
import { userHome } from "../../../disk/folders.ts";
import type { CallReason } from "../../../record/call-reason.ts";
import { BACKTRACK_TOOL, isJsonObject, type JsonObject } from "../../../record/parts.ts";

/** A call as the SDK reports it. The call's input can be anything. */
export interface SdkCall {
  readonly name: string;
  readonly input: unknown;
  /**
   * The folder where commands start. Claude Code stays in the folder of its last `cd`. The default is the workspace.
   */
  readonly folder?: string | undefined;
}

export interface ToolFacts {
  /** The tool's name in rules. */
  readonly tool: string;
  readonly reach: Reach;
  readonly subjects: readonly Subject[];
  /** One line that describes the call to the user. */
  readonly about: string;
  /** Absolute paths that the call will write, or undefined if unknown. */
  readonly writes: readonly string[] | undefined;
  /**
   * Whether the call may run in plan mode. "may": the call only reads, or permission for each of its effects is decided
   * separately.
   */
  readonly plan: "may" | "may-not";
  /** Why no mode, not even auto, allows the call without asking. */
  readonly beyond?: CallReason;
}

/**
 * Returns the facts about a call to one of the SDK's tools. Resolves paths. Never throws, because a call that cannot be
 * understood counts as one that can do anything.
 */
export async function toolFacts(workspace: string, call: SdkCall): Promise<ToolFacts> {
  const known = knownTool(call.name);
  const scene: CallContext = {
    workspace,
    name: call.name,
    known,
    input: isJsonObject(call.input) ? call.input : {},
    ...(call.folder === undefined ? {} : { folder: call.folder }),
  };
  const {
    reach = known.reach,
    subjects = [{ kind: "tool" }],
    ...special
  } = known.path === undefined ? await specialFacts(scene) : await pathFacts(scene, known.path);
  const { beyond } = known;
  return {
    tool: known.rules ?? call.name,
    reach,
    subjects,
    about: aboutOf(scene, call.input),
    writes: writesOf(reach, subjects),
    plan: reach === "nothing" || reach === "reads" ? "may" : "may-not",
    ...(beyond === undefined ? {} : { beyond }),
    ...special,
  };
}

function writesOf(reach: Reach, subjects: readonly Subject[]): readonly string[] | undefined {
  if (reach === "anything") return undefined;
  return subjects.flatMap((subject) =>
    subject.kind === "path" && subject.access === "write" ? subject.path : [],
  );
}

interface CallContext {
  readonly workspace: string;
  readonly name: string;
  readonly known: KnownTool;
  readonly input: JsonObject;
  readonly folder?: string;
}

/** Facts about a specific call, in addition to what the table of tools says. */
type SpecialFacts = Partial<Omit<ToolFacts, "writes">>;

/**
 * Facts about a call that lacks required input. The SDK will refuse the call, but until then the call counts as one
 * that can do anything.
 */
const UNREADABLE: SpecialFacts = { reach: "anything" };

async function pathFacts(
  scene: CallContext,
  { field, access }: NonNullable<KnownTool["path"]>,
): Promise<SpecialFacts> {
  const path = textOf(scene.input, field);
  if (path === undefined) return UNREADABLE;
  const place = await realPathOf(scene, path);
  return {
    subjects: [{ kind: "path", path: place, access }],
    about: oneLine(path),
  };
}

async function specialFacts(scene: CallContext): Promise<SpecialFacts> {
  switch (scene.name) {
    case "Bash":
    case "Monitor":
      return commandFacts(scene);
    case "Glob":
    case "Grep":
      return searchFacts(scene);
    case "WebFetch":
    case "WebSearch":
      return networkFacts(scene);
    case "ReadMcpResourceTool":
    case "ReadMcpResourceDirTool":
      return resourceFacts(scene);
    case "Agent":
    case "Task":
      return taskFacts(scene);
    default:
      return {};
  }
}

async function commandFacts({ workspace, name, input, folder }: CallContext): Promise<SpecialFacts> {
  const command = textOf(input, "command");
  if (command === undefined) return {};
  const context = { workspace, environment: process.env, ...(folder === undefined ? {} : { folder }) };
  const subjects = await commandSubjects(context, command);
  return {
    tool: "Bash",
    subjects,
    about: oneLine(command),
    // These commands must be allowed in plan mode, because the SDK's agent has no other way to search.
    plan: name === "Bash" && subjects.every(isLook) ? "may" : "may-not",
  };
}

function isLook(subject: Subject): boolean {
  return subject.kind === "command" ? onlyLooks(subject.plan) : true;
}

async function searchFacts(scene: CallContext): Promise<SpecialFacts> {
  const { name, input } = scene;
  const folder = textOf(input, "path") ?? ".";
  const pattern = textOf(input, "pattern") ?? "";
  const start = name === "Glob" ? posix.resolve(scene.workspace, folder, fixedFolder(pattern)) : folder;
  return {
    subjects: [{ kind: "path", path: await realPathOf(scene, start), access: "read" }],
    about: oneLine(folder === "." ? pattern : `${pattern} in ${folder}`),
  };
}

/**
 * Returns the folder at the fixed start of a pattern. For example, "/tmp/x/*.c" searches in /tmp/x, regardless of the
 * folder that the search starts in.
 */
function fixedFolder(pattern: string): string {
  const fixed = pattern.slice(0, pattern.search(/[*?[\]{}()!+@\\]|$/u));
  return fixed.slice(0, fixed.lastIndexOf("/") + 1) || ".";
}

function networkFacts({ input, name }: CallContext): SpecialFacts {
  // A search query is sent over the network, just like a URL.
  const url = textOf(input, name === "WebFetch" ? "url" : "query");
  return url === undefined ? UNREADABLE : { subjects: [{ kind: "url", url }] };
}

/** Returns the facts about reading a resource. A rule about a server applies to all of its resources. */
function resourceFacts({ input }: CallContext): SpecialFacts {
  const server = textOf(input, "server");
  return server === undefined
    ? UNREADABLE
    : { tool: `mcp__${server.replace(/[^A-Za-z0-9_-]/gu, "_")}__resources` };
}

/**
 * Returns the facts about starting a sub-agent. A sub-agent's calls need the same permissions as the agent's own calls,
 * unless the sub-agent is isolated.
 */
function taskFacts({ input }: CallContext): SpecialFacts {
  if (input["isolation"] === undefined) return { plan: "may" };
  return { beyond: { code: "works-elsewhere", where: oneLine(String(input["isolation"])) } };
}

function realPathOf({ workspace }: CallContext, path: string): Promise<string> {
  return placeOf(workspace, path === "~" || path.startsWith("~/") ? join(userHome(), path.slice(1)) : path);
}

function aboutOf({ known, input }: CallContext, whole: unknown): string {
  const said = known.about === undefined ? undefined : textOf(input, known.about);
  return oneLine(said ?? JSON.stringify(whole) ?? "");
}

function textOf(input: JsonObject, field: string): string | undefined {
  const value = input[field];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The facts about an SDK tool that do not depend on its input. */
interface KnownTool {
  /** The tool's name in rules. The default is the SDK's name. */
  readonly rules?: string;
  readonly reach: Reach;
  /** The input field that names a file or folder, and how that path is used. */
  readonly path?: { readonly field: string; readonly access: "read" | "write" };
  /** The input field that describes the call to the user. */
  readonly about?: string;
  /** Why no mode, not even auto, allows the tool without asking. */
  readonly beyond?: CallReason;
}

const OUTLIVES: CallReason = { code: "outlives-turn" };
const LEAVES: CallReason = { code: "beyond-session" };

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

/** Tools that act on the agent itself, on its lists, or on commands that it has started. */
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
  // Our own tool enforces the restrictions of plan mode itself.
  [BACKTRACK_TOOL]: { reach: "nothing" },
};

/** Tools that can run anything. A skill may run commands while it is being loaded, without calling any hook. */
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

/** Returns the facts about a tool. An unknown tool can do anything. */
function knownTool(name: string): KnownTool {
  return KNOWN.get(name) ?? { reach: "anything" };
}
