import type { Session } from "../../machine/session.ts";
import type { AgentEvent } from "../../ports/agent-events.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Model, ToolSpec } from "../../ports/model.ts";
import type { PermissionMode, Person } from "../../ports/person.ts";
import type { WorkspaceFiles } from "../../ports/workspace-files.ts";
import type { Usage } from "../../record/parts.ts";
import type { Rules } from "../permissions/rules.ts";
import type { AgentSettings } from "../settings.ts";
import type { Tool } from "../tools/tool.ts";
import type { Compacting } from "./compacting.ts";
import type { Captures } from "./files/captures.ts";
import type { OutsideChanges } from "./files/outside-changes.ts";
import type { PromptQueue } from "./prompt-queue.ts";
import type { Spending } from "./spending.ts";

/** Everything that a turn works with; the same one for all turns of an agent. */
export interface Workbench {
  readonly session: Session;
  readonly workspace: string;
  readonly model: () => Model;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly specs: readonly ToolSpec[];
  readonly rules: Rules;
  readonly mode: () => PermissionMode;
  readonly person: Person;
  readonly settings: AgentSettings;
  readonly captures: Captures;
  readonly compacting: Compacting;
  /** Follows files that no snapshot has, for the session that can take them back. */
  readonly watchOutside: Session["watchOutside"];
  readonly outside: OutsideChanges;
  /** The files of the workspace, where they can be captured. */
  readonly files?: WorkspaceFiles;
  readonly clock: Clock;
  readonly tell: (event: AgentEvent) => void;
  /** The folder of outputs that were too long for the model, which it may read. */
  readonly outputs: string;
  /** What still runs in the background, for the note of a backtrack. */
  readonly running: () => readonly string[];
  readonly queue: PromptQueue;
  /** The permission rules that the person gave for this session. */
  readonly grants: () => Promise<readonly string[]>;
  readonly spending: Spending;
  /** In US dollars, where the price is known. */
  readonly priceOf: (model: string, usage: Usage) => number | undefined;
}
