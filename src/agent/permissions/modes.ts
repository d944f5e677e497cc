import type { PermissionMode } from "../../ports/person.ts";
import type { Reach, Subject } from "../tools/tool.ts";
import { allowsCommand, outsideOf, protectedOf, type SeenCommand } from "./commands.ts";
import { type Ground, isInside, protectedPart } from "./places.ts";

type CommandSubject = Extract<Subject, { kind: "command" }>;

export interface ModeQuestion {
  readonly tool: string;
  readonly reach: Reach;
  readonly mode: PermissionMode;
  readonly subject: Subject;
  readonly ground: Ground;
  readonly see: (subject: CommandSubject) => SeenCommand;
  readonly paths: "open" | "sealed";
}

/** Why the mode asks about a subject that no rule is about; undefined when it does not. */
export function whyAskInMode(question: ModeQuestion): string | undefined {
  const { subject } = question;
  switch (subject.kind) {
    case "path":
      return whyAskAboutPath(question, subject);
    case "command":
      return whyAskAboutCommand(question, subject);
    case "url":
      return question.mode === "auto" ? undefined : `it goes out to the network: ${subject.url}`;
    case "tool":
      return whyAskAboutTool(question);
    default:
      return subject satisfies never;
  }
}

function whyAskAboutPath(
  { tool, mode, ground }: ModeQuestion,
  { path, access }: Extract<Subject, { kind: "path" }>,
): string | undefined {
  if (!isInside(ground, path)) return `outside the workspace: ${path}`;
  if (access === "read") return undefined;
  const part = protectedPart(ground, path);
  if (part !== undefined) return `${part} can make programs run, so changing it is asked about in every mode`;
  // What a command may do to other files is asked about with the command.
  return mode === "accept-edits" || mode === "auto" || tool === "Bash"
    ? undefined
    : `${mode} mode asks before files are changed`;
}

function whyAskAboutCommand(
  { mode, ground, paths, see }: ModeQuestion,
  subject: CommandSubject,
): string | undefined {
  const command = see(subject);
  const outside = outsideOf(ground, command);
  if (outside !== undefined) return `outside the workspace: ${outside.word}`;
  if (command.whole === "no") return "it holds more commands than can be read";
  if (allowsCommand([], command, { ground, paths }) !== undefined) return undefined;
  if (mode !== "auto") return `${mode} mode asks before commands are run`;
  const part = protectedOf(ground, command);
  return part === undefined
    ? undefined
    : `${part} can make programs run, so changing it is asked about in every mode`;
}

/** What a server says of its own tools is no reason not to ask. */
function whyAskAboutTool({ tool, reach, mode }: ModeQuestion): string | undefined {
  // Whoever gets a task is asked for each of its own calls.
  if (mode === "auto" || reach === "nothing" || tool === "Task") return undefined;
  if (tool.startsWith("mcp__")) return "it is a tool of an MCP server";
  return reach === "reads" ? undefined : `${mode} mode asks before ${tool} is used`;
}
