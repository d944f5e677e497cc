import { recapOf } from "../../machine/queries/recap.ts";
import type { Session } from "../../machine/session.ts";
import type { Model, ToolSpec } from "../../ports/model.ts";
import type { PermissionMode, Person } from "../../ports/person.ts";
import type { Seen } from "../../record/entry.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { Seq, SnapshotId } from "../../record/ids.ts";
import type { Usage } from "../../record/parts.ts";
import { branchOf } from "../../timeline/outline.ts";
import type { AgentContext, AgentOptions } from "../agent-context.ts";
import { Compactor } from "../compaction/compactor.ts";
import type { BackgroundCommands } from "../tools/bash/background.ts";
import { bashOutputTool, bashTool, killShellTool } from "../tools/bash/bash.ts";
import type { KeepOutput } from "../tools/bash/kept-output.ts";
import type { Environment } from "../tools/bash/process-tree.ts";
import { askUserTool, exitPlanModeTool, type OnTodos, todoWriteTool } from "../tools/conversation.ts";
import { editTool, writeTool } from "../tools/edit.ts";
import type { SeenFiles } from "../tools/files.ts";
import { readTool } from "../tools/read.ts";
import { globTool, grepTool } from "../tools/search.ts";
import { specIn, type Tool } from "../tools/tool.ts";
import { type Fetch, webFetchTool } from "../tools/web-fetch.ts";
import { changedPaths } from "./files/changed-files.ts";

/** Options for Worldline's own agent. */
export interface NativeAgentOptions extends AgentOptions {
  readonly model: Model;
  /** A cheaper model for compaction, if the settings name one. */
  readonly summariser?: Model | undefined;
  readonly fetch: typeof globalThis.fetch;
  /** Returns the cost of a model call in US dollars, if the price is known. */
  readonly priceOf: (model: string, usage: Usage) => number | undefined;
  /** Tools from MCP servers. */
  readonly tools?: readonly Tool[] | undefined;
  /** Opens another model by its name. Absent if the model cannot be changed. */
  readonly openModel?: ((name: string) => Promise<Model>) | undefined;
}

/** Everything that a turn of Worldline's own agent uses. */
export interface TurnContext extends AgentContext, Pick<NativeAgentOptions, "priceOf"> {
  readonly model: () => Model;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly specs: readonly ToolSpec[];
  readonly compacting: Compactor;
  /** Tracks files outside the snapshots for the session that can undo changes to them. */
  readonly watchOutside: Session["watchOutside"];
}

interface TurnContextOptions {
  readonly model: () => Model;
  /** MCP tools and other additional tools. A tool with the name of a native tool replaces that tool. */
  readonly tools: readonly Tool[];
  /** Native tools that this agent must not have. */
  readonly without?: ReadonlySet<string> | undefined;
  /** Watches files outside the snapshots. By default, the agent's own session watches them. */
  readonly watchOutside?: Session["watchOutside"] | undefined;
}

export function createTurnContext(
  options: NativeAgentOptions,
  context: AgentContext,
  own: TurnContextOptions,
): TurnContext {
  const { session, settings, spending, emit } = context;
  const { summariser, priceOf } = options;
  const { model } = own;
  const tools = toolsOf(options, context, own);
  return {
    ...context,
    model,
    tools,
    specs: [...tools.values()].map((tool) => specIn(session.header, tool)),
    priceOf,
    watchOutside: own.watchOutside ?? (async (paths) => session.watchOutside(paths)),
    compacting: new Compactor({
      session,
      model,
      summariser,
      settings: settings.compaction,
      changedFiles: async () => changedSinceStart(context),
      emit,
      onSpent: (name, usage) => spending.add({ usage, cost: priceOf(name, usage) }),
    }),
  };
}

function toolsOf(
  { fetch }: NativeAgentOptions,
  { session, shell, person, mode, setMode, rules }: AgentContext,
  { tools, without }: TurnContextOptions,
): ReadonlyMap<string, Tool> {
  const native = nativeTools({
    ...shell,
    seen: new BranchSeenFiles(session),
    onTodos: async (items) => {
      await session.todos(items);
    },
    person,
    mode,
    onApproved: setMode,
    fetch,
    denied: rules.deny,
  }).filter(({ name }) => without?.has(name) !== true);
  return new Map([...native, ...tools].map((tool) => [tool.name, tool]));
}

/**
 * Returns the session's changes for a compaction's summary. These are the files that its tools reported, and the files
 * that differ from the first snapshot.
 */
async function changedSinceStart({ session, files, captures }: AgentContext): Promise<readonly string[]> {
  const { done } = await recapOf(session);
  await captures.settled();
  const [first] = await session.storedEntries(session.outline.linesOf("snapshot").slice(0, 1));
  const start = first?.kind === "snapshot" ? first.snapshot : undefined;
  const { newest } = captures;
  if (files === undefined || start === undefined || newest === undefined) return done.files;
  return [...new Set([...done.files, ...(await comparedPaths(files, start, newest))])];
}

/** Compares the files with the first snapshot. If this fails, the summary lacks the list, but the turn continues. */
async function comparedPaths(
  files: NonNullable<AgentContext["files"]>,
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

/** Options for creating the native tools. */
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
  /** Called when the user has approved a plan, with the permission mode to use for carrying it out. */
  readonly onApproved: (mode: Exclude<PermissionMode, "plan">) => void | Promise<void>;
  readonly fetch: Fetch;
  /**
   * Names of variables that, according to the settings, hold API keys. Commands do not receive these variables. By
   * default, there are none.
   */
  readonly secretVariables?: readonly string[];
  /** The deny rules. Searches omit the paths that these rules name. By default, there are none. */
  readonly denied?: readonly string[];
}

/**
 * Returns the tools that need only a workspace and a user. The order of the tools never changes, because they are part
 * of the context's prefix.
 */
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

/**
 * The files that the model has seen, according to the branch. After a rewind or backtrack, files that the model read
 * after that place count as unseen. In a resumed session, files read earlier still count as seen.
 */
class BranchSeenFiles {
  readonly #session: Session;
  /**
   * The files seen in each entry, keyed by the entry's line. Entries never change, so each one is read only once for
   * all branches.
   */
  readonly #byLine = new Map<Seq, readonly Seen[]>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Returns the sha256 of the file as the model last saw it on this branch, or undefined if the model never saw it. */
  async shaOf(path: string): Promise<string | undefined> {
    const lines = branchOf(this.#session.outline).flatMap((row) => (row.kind === "tool-end" ? row.seq : []));
    await this.#learn(lines.filter((line) => !this.#byLine.has(line)));
    for (const line of lines.toReversed()) {
      const seen = this.#byLine.get(line)?.find((file) => file.path === path);
      if (seen !== undefined) return seen.sha256;
    }
    return undefined;
  }

  async #learn(lines: readonly Seq[]): Promise<void> {
    for (const entry of await this.#session.storedEntries(lines)) {
      if (entry.kind === "tool-end") this.#byLine.set(entry.seq, entry.seen ?? []);
    }
  }
}
