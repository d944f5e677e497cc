import { recapOf } from "../../machine/looking/recap.ts";
import type { Session } from "../../machine/session.ts";
import type { Model, ToolSpec } from "../../ports/model.ts";
import { isWorldlineError } from "../../record/error.ts";
import type { SnapshotId } from "../../record/ids.ts";
import type { Usage } from "../../record/parts.ts";
import type { AgentContext, AgentOptions } from "../agent-context.ts";
import { Compacting } from "../compaction/compacting.ts";
import { BranchSeenFiles } from "../tools/files/seen-files.ts";
import { specIn } from "../tools/specs.ts";
import type { Tool } from "../tools/tool.ts";
import { nativeTools } from "../tools/tools.ts";
import { changedPaths } from "./files/changed-files.ts";

/** What our own agent is opened with. */
export interface NativeAgentOptions extends AgentOptions {
  readonly model: Model;
  /** A cheaper one for compaction, where the settings name it. */
  readonly summariser?: Model | undefined;
  readonly fetch: typeof globalThis.fetch;
  /** In US dollars, where the price is known. */
  readonly priceOf: (model: string, usage: Usage) => number | undefined;
  /** Of MCP servers. */
  readonly tools?: readonly Tool[] | undefined;
  /** Finds another model by its name; absent: the model stays the one it began with. */
  readonly openModel?: ((name: string) => Promise<Model>) | undefined;
}

/** Everything that a turn of our own agent works with. */
export interface TurnContext extends AgentContext, Pick<NativeAgentOptions, "priceOf"> {
  readonly model: () => Model;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly specs: readonly ToolSpec[];
  readonly compacting: Compacting;
  /** Follows files that no snapshot has, for the session that can take them back. */
  readonly watchOutside: Session["watchOutside"];
}

interface TurnContextOptions {
  readonly model: () => Model;
  /** Besides the native ones, or instead of those of the same name. */
  readonly tools: readonly Tool[];
  /** Native tools that this agent does not get. */
  readonly without?: ReadonlySet<string> | undefined;
  /** By default the session's own. */
  readonly watchOutside?: Session["watchOutside"] | undefined;
}

export function createTurnContext(
  options: NativeAgentOptions,
  context: AgentContext,
  own: TurnContextOptions,
): TurnContext {
  const { session, settings, spending, tell } = context;
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
    compacting: new Compacting({
      session,
      model,
      summariser,
      settings: settings.compaction,
      changedFiles: async () => changedSinceStart(context),
      tell,
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

/** What the session has changed, for the summary of a compaction: what its tools say, and what differs from the first files. */
async function changedSinceStart({ session, files, captures }: AgentContext): Promise<readonly string[]> {
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
