import { recapOf } from "../machine/looking/recap.ts";
import type { Session } from "../machine/session.ts";
import type { AgentEvent } from "../ports/agent-events.ts";
import type { Clock } from "../ports/clock.ts";
import type { Model } from "../ports/model.ts";
import type { PermissionMode, Person } from "../ports/person.ts";
import type { WorkspaceFiles } from "../ports/workspace-files.ts";
import { isWorldlineError } from "../record/error.ts";
import type { SnapshotId } from "../record/ids.ts";
import type { Usage } from "../record/parts.ts";
import { grantsOn } from "./branch/grants.ts";
import { BranchSeenFiles } from "./branch/seen-files.ts";
import type { Rules } from "./permissions/rules.ts";
import type { AgentSettings } from "./settings.ts";
import type { BackgroundCommands } from "./tools/bash/background-commands.ts";
import type { KeepOutput } from "./tools/bash/kept-output.ts";
import { specIn } from "./tools/specs.ts";
import type { Tool } from "./tools/tool.ts";
import { nativeTools } from "./tools/tools.ts";
import { Compacting } from "./turn/compacting.ts";
import { Captures } from "./turn/files/captures.ts";
import { changedPaths } from "./turn/files/changed-files.ts";
import { OutsideChanges } from "./turn/files/outside-changes.ts";
import type { PromptQueue } from "./turn/prompt-queue.ts";
import { Spending } from "./turn/spending.ts";
import type { Workbench } from "./turn/workbench.ts";

/** What an agent and its sub-agents share. */
export interface Common {
  readonly model: () => Model;
  /** A cheaper one for compaction, where the settings name it. */
  readonly summariser?: Model;
  readonly person: Person;
  readonly rules: Rules;
  readonly settings: AgentSettings;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables that hold keys of providers from the settings; commands do not get them. */
  readonly secretVariables: readonly string[];
  readonly fetch: typeof globalThis.fetch;
  /** Keeps the whole output of a command that is too long for the model, in `outputs`; returns where. */
  readonly keepOutput: KeepOutput;
  /** The real path of a folder. */
  readonly outputs: string;
  readonly priceOf: (model: string, usage: Usage) => number | undefined;
  readonly mode: () => PermissionMode;
  readonly setMode: (mode: PermissionMode) => void;
}

export interface Layout {
  readonly common: Common;
  readonly session: Session;
  readonly files?: WorkspaceFiles;
  readonly background: BackgroundCommands;
  /** Besides the native ones, or instead of those of the same name. */
  readonly tools: readonly Tool[];
  /** Native tools that this agent does not get. */
  readonly without: ReadonlySet<string>;
  readonly tell: (event: AgentEvent) => void;
  readonly queue: PromptQueue;
  /** By default those of the session's own branch. */
  readonly grants?: () => Promise<readonly string[]>;
  /** Of a sub-agent: those of the session that it works for. */
  readonly above?: Captures;
  /** By default the session's own. */
  readonly watchOutside?: Session["watchOutside"];
}

/** Puts everything that a turn needs in its place. */
export function layOut(layout: Layout): Workbench {
  const { common, session, background, tell, files } = layout;
  const { workspace } = session.header;
  const tools = toolsOf(layout);
  const spending = new Spending();
  const captures = new Captures({
    session,
    ...(files === undefined ? {} : { files }),
    clock: common.clock,
    firstWaitMs: common.settings.firstWaitMs,
    tell,
    ...(layout.above === undefined ? {} : { above: layout.above }),
  });
  const compacting = new Compacting({
    session,
    model: common.model,
    ...(common.summariser === undefined ? {} : { summariser: common.summariser }),
    settings: common.settings.compaction,
    changedFiles: async () => changedSinceStart(session, files, captures),
    tell,
    onSpent: (model, usage) => spending.add({ usage, cost: common.priceOf(model, usage) }),
  });
  return {
    session,
    workspace,
    model: common.model,
    tools,
    specs: [...tools.values()].map((tool) => specIn(session.header, tool)),
    rules: common.rules,
    mode: common.mode,
    person: common.person,
    settings: common.settings,
    captures,
    compacting,
    outside: new OutsideChanges(),
    watchOutside: layout.watchOutside ?? (async (paths) => session.watchOutside(paths)),
    ...(files === undefined ? {} : { files }),
    clock: common.clock,
    tell,
    outputs: common.outputs,
    running: () => background.running(),
    queue: layout.queue,
    grants: layout.grants ?? (async () => grantsOn(session)),
    spending,
    priceOf: common.priceOf,
  };
}

function toolsOf({ common, session, background, tools, without }: Layout): ReadonlyMap<string, Tool> {
  const native = nativeTools({
    workspace: session.header.workspace,
    environment: common.environment,
    seen: new BranchSeenFiles(session),
    background,
    keepOutput: common.keepOutput,
    onTodos: async (items) => {
      await session.todos(items);
    },
    person: common.person,
    mode: common.mode,
    onApproved: common.setMode,
    fetch: common.fetch,
    denied: common.rules.deny,
    secretVariables: common.secretVariables,
  }).filter(({ name }) => !without.has(name));
  return new Map([...native, ...tools].map((tool) => [tool.name, tool]));
}

/** What the session has changed, for the summary of a compaction: what its tools say, and what differs from the first files. */
async function changedSinceStart(
  session: Session,
  files: WorkspaceFiles | undefined,
  captures: Captures,
): Promise<readonly string[]> {
  const { done } = await recapOf(session);
  await captures.settled();
  const [first] = await session.storedEntries(session.outline.linesOf("snapshot").slice(0, 1));
  const start = first?.kind === "snapshot" ? first.snapshot : undefined;
  const { newest } = captures;
  if (files === undefined || start === undefined || newest === undefined) return done.files;
  return [...new Set([...done.files, ...(await comparedPaths(files, start, newest))])];
}

/** A list that cannot be made costs the summary a list, and not the turn. */
async function comparedPaths(
  files: WorkspaceFiles,
  start: SnapshotId,
  newest: SnapshotId,
): Promise<readonly string[]> {
  try {
    return (await files.has(start)) ? await changedPaths(files, start, newest) : [];
  } catch (error) {
    if (!isWorldlineError(error)) throw error;
    return [];
  }
}
