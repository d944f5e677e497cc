import type { Session } from "../machine/session.ts";
import type { AgentEvent } from "../ports/agent-events.ts";
import type { Clock } from "../ports/clock.ts";
import type { PermissionMode, Person } from "../ports/person.ts";
import type { WorkspaceFiles } from "../ports/workspace-files.ts";
import type { TaskOf } from "../record/entry.ts";
import { grantsOn } from "./grants.ts";
import type { Rules } from "./permissions/rules.ts";
import type { AgentSettings } from "./settings.ts";
import type { BackgroundCommands } from "./tools/bash/background-commands.ts";
import type { KeepOutput } from "./tools/bash/kept-output.ts";
import type { ShellContext } from "./tools/bash/run-shell.ts";
import { Captures } from "./turn/files/captures.ts";
import { OutsideChanges } from "./turn/files/changed-files.ts";
import { PromptQueue } from "./turn/prompt-queue.ts";
import { Spending } from "./turn/tally.ts";
import type { TurnGate } from "./turn-gate.ts";

/** Makes the log of a sub-agent, beside that of the session it works for. */
export type OpenSubSession = (wanted: { readonly system: string; readonly task: TaskOf }) => Promise<Session>;

/** What every agent is opened with, whichever host answers. */
export interface AgentOptions {
  /** Held; the agent closes it. */
  readonly session: Session;
  readonly resumed: "new" | "resumed" | "forked";
  readonly mode: PermissionMode;
  readonly person: Person;
  readonly rules: Rules;
  readonly settings: AgentSettings;
  readonly clock: Clock;
  /** The files of the workspace, where the session has them. The caller closes them. */
  readonly files?: WorkspaceFiles | undefined;
  /** Of commands. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables that hold keys of providers from the settings; commands do not get them. */
  readonly secretVariables: readonly string[];
  /** Keeps the whole output of a command that is too long for the model, in `outputs`; returns where. */
  readonly keepOutput: KeepOutput;
  /** The real path of a folder. */
  readonly outputs: string;
  readonly openSubSession: OpenSubSession;
  /** Shared by all agents of one front end; by default the agent has one of its own. */
  readonly gate?: TurnGate | undefined;
  /** Throws where the user may not enter that mode now. */
  readonly checkMode?: ((mode: PermissionMode) => void) | undefined;
}

type Shared = "session" | "person" | "rules" | "settings" | "clock" | "files" | "outputs";

/** Everything that the turns of an agent work with, whichever host answers; the same object for all turns. */
export interface AgentContext extends Pick<AgentOptions, Shared> {
  readonly workspace: string;
  readonly mode: () => PermissionMode;
  readonly setMode: (mode: PermissionMode) => void;
  readonly tell: (event: AgentEvent) => void;
  /** What commands run with. */
  readonly shell: ShellContext;
  readonly captures: Captures;
  /** Files that tools changed where no snapshot looks. */
  readonly outside: OutsideChanges;
  readonly queue: PromptQueue;
  /** What sub-agents and summaries cost, until the turn adds it up. */
  readonly spending: Spending;
  /** The permission rules that the user gave for this session. */
  readonly grants: () => Promise<readonly string[]>;
}

interface ContextOptions extends Pick<AgentContext, "mode" | "setMode" | "tell"> {
  readonly background: BackgroundCommands;
  /** By default those on the session's own branch. */
  readonly grants?: AgentContext["grants"] | undefined;
  /** Of a sub-agent: the captures of the session that it works for, which has the files. */
  readonly above?: Captures | undefined;
}

export function createContext(options: AgentOptions, own: ContextOptions): AgentContext {
  const { session, person, rules, settings, clock, files, outputs } = options;
  const { environment, secretVariables, keepOutput } = options;
  const { mode, setMode, tell, background, above } = own;
  const { workspace } = session.header;
  return {
    ...{ session, person, rules, settings, clock, files, outputs, workspace, mode, setMode, tell },
    shell: { workspace, environment, secretVariables, keepOutput, background },
    captures: new Captures({ session, files, clock, firstWaitMs: settings.firstWaitMs, tell, above }),
    outside: new OutsideChanges(),
    queue: new PromptQueue(),
    spending: new Spending(),
    grants: own.grants ?? (async () => grantsOn(session)),
  };
}
