import type { PermissionMode, Person } from "../../ports/person.ts";
import type { BackgroundCommands } from "./bash/background-commands.ts";
import { bashOutputTool, bashTool, killShellTool } from "./bash/bash.ts";
import type { KeepOutput } from "./bash/kept-output.ts";
import type { Environment } from "./bash/shell-environment.ts";
import type { SeenFiles } from "./files/seen-files.ts";
import { askUserTool, exitPlanModeTool, type OnTodos, todoWriteTool } from "./person/person.ts";
import { readTool } from "./read/read.ts";
import { globTool } from "./search/glob.ts";
import { grepTool } from "./search/grep.ts";
import type { Tool } from "./tool.ts";
import type { Fetch } from "./web/page.ts";
import { webFetchTool } from "./web/web-fetch.ts";
import { editTool } from "./write/edit.ts";
import { writeTool } from "./write/write.ts";

/** What the tools stand on. */
export interface ToolOptions {
  /** The real path of the folder that the agent works in. */
  readonly workspace: string;
  readonly environment: Environment;
  readonly seen: SeenFiles;
  readonly background: BackgroundCommands;
  readonly keepOutput: KeepOutput;
  readonly onTodos: OnTodos;
  readonly person: Person;
  readonly mode: () => PermissionMode;
  /** Called when the person has approved a plan, with the mode in which it is to be carried out. */
  readonly onApproved: (mode: Exclude<PermissionMode, "plan">) => void | Promise<void>;
  readonly fetch: Fetch;
  /** What settings name as holding a provider's key: no command gets it. By default none. */
  readonly secretVariables?: readonly string[];
  /** The rules that deny: what they say of paths is left out of searches. By default none. */
  readonly denied?: readonly string[];
}

/** The tools that need nothing but a workspace and a person, always in this order: it is part of the context's prefix. */
export function nativeTools(options: ToolOptions): readonly Tool[] {
  return [
    bashTool(options),
    bashOutputTool(options),
    killShellTool(options),
    readTool(options),
    writeTool(options),
    editTool(options),
    globTool(options),
    grepTool(options),
    webFetchTool(options),
    todoWriteTool(options),
    askUserTool(options),
    exitPlanModeTool(options),
  ];
}
