import { existsSync } from "node:fs";
import { type Catalogue, costOf } from "../../agent/models/catalogue.ts";
import { startOfPrompt } from "../../machine/checkpoint-list.ts";
import { viewSession } from "../../machine/open.ts";
import { statsOf } from "../../machine/queries/sessions.ts";
import type { SessionView } from "../../machine/view.ts";
import type { LogStore } from "../../ports/log-store.ts";
import type { Entry, EntryOf } from "../../record/entry.ts";
import { reasonFields, remark } from "../../record/error.ts";
import type { Seq } from "../../record/ids.ts";
import { gitHeadOf } from "../../snapshots/workspace/workspace-folder.ts";
import { nearest, type Outline } from "../../timeline/outline.ts";
import { isCheckpoint } from "../../timeline/row.ts";
import { savedByBacktracks, type WayLeft, wayLeftBy } from "../../timeline/stats.ts";
import { hasWorkSince, redoableCount } from "../../travel/redo.ts";
import { pricesOf } from "../agent/open-model.ts";
import type { AppContext } from "../context.ts";
import type { OpenedFiles } from "../files/files.ts";
import type { AgentSession } from "../sessions/agent-session.ts";
import { ownSince } from "../sessions/session-rows.ts";
import { sessionHeaders, subAgentsOf } from "../sessions/store.ts";
import { priced } from "./costs.ts";
import type { SnapshotState, TimelineState } from "./query-types.ts";

/** How long git's state is cached. The cache is needed because the state is requested after every entry. */
const GIT_MS = 1_000;

interface Opened {
  readonly context: AppContext;
  readonly opened: AgentSession;
}

/**
 * Computes what the status line shows about one session. The computation runs after every entry, so each part processes
 * only new entries.
 */
export class TimelineStates {
  readonly #saved = new SavedTokens();
  readonly #cost = new RunningCost();
  readonly #branches = new BranchesLeft();
  readonly #title = new Kept<string | undefined>();
  readonly #redoable = new Kept<number>();
  readonly #snapshots = new Kept<SnapshotState>();
  readonly #git = new Kept<string | undefined>();

  async now({ context, opened }: Opened): Promise<TimelineState> {
    const { session, workspaceFiles } = opened;
    const { outline, header } = session;
    const title = await this.#title.of(titleKey(session), async () => titleOf(session));
    const git = await this.#git.of(Math.floor(performance.now() / GIT_MS), () => branchIn(header.workspace));
    const cost = await this.#cost.of({ view: session, store: opened.deps.store, context });
    return {
      ...(title === undefined ? {} : { title }),
      checkpoint: nearest(outline, outline.head, isCheckpoint)?.number ?? 0,
      contextTokens: session.tokenCount,
      ...this.#branches.of(outline),
      ...(git === undefined ? {} : { gitBranch: git }),
      savedTokens: await this.#saved.of(session),
      ...(cost === undefined ? {} : { cost }),
      snapshots: existsSync(header.workspace)
        ? await this.#snapshotsOf(session, workspaceFiles)
        : { state: "folder-gone", folder: header.workspace },
      redoable: await this.#redoable.of(redoableKey(session), async () => redoableIn(session)),
    };
  }

  async #snapshotsOf(session: SessionView, workspaceFiles: OpenedFiles): Promise<SnapshotState> {
    if (workspaceFiles.state !== "on") return { state: "off", error: workspaceFiles.error };
    const { outline } = session;
    const last = outline.linesOf("snapshot").at(-1) ?? 0;
    if (isCapturing(session, outline.at(last)?.number ?? 0)) return { state: "capturing" };
    return this.#snapshots.of(last, async () => stateTold(session, last));
  }
}

function titleKey({ outline }: SessionView): number {
  return outline.linesOf("title").at(-1) ?? -(outline.linesOf("prompt")[0] ?? 0);
}

/** Returns the title of a session. A session without a title is named after its first prompt. */
async function titleOf(session: SessionView): Promise<string | undefined> {
  const title = await session.title();
  if (title !== undefined) return title;
  const [first] = await session.storedEntries(session.outline.linesOf("prompt").slice(0, 1));
  const start = first === undefined ? "" : startOfPrompt(first);
  return start === "" ? undefined : start;
}

/** Returns the name of the current git branch, or the current commit if no branch is checked out. */
function branchIn(folder: string): string | undefined {
  return gitHeadOf(folder)?.split(" ")[0];
}

/**
 * Checks whether this process made the newest checkpoint and the log does not contain the result of its capture yet.
 */
function isCapturing({ outline }: SessionView, told: number): boolean {
  const lines = (["checkpoint", "step"] as const).map((kind) => outline.linesOf(kind).at(-1) ?? 0);
  const newest = outline.at(Math.max(...lines));
  return newest !== undefined && newest.number > told && newest.at >= performance.timeOrigin;
}

async function stateTold(session: SessionView, line: number): Promise<SnapshotState> {
  const row = session.outline.at(line);
  const [entry] = row === undefined ? [] : await session.entries([row.seq]);
  if (entry?.kind !== "snapshot" || entry.state === "complete") return { state: "on" };
  const { state, why, ...known } = entry;
  return {
    state: state === "partial" ? "partial" : "failed",
    ...(why === undefined ? remark("capture-never-made") : { why, ...reasonFields(known) }),
  };
}

/** Returns a key that changes with each journey, and with the first new work after a journey. */
function redoableKey({ outline }: SessionView): number {
  const kinds = ["backtrack", "rewind", "redo"] as const;
  const last = Math.max(0, ...kinds.map((kind) => outline.linesOf(kind).at(-1) ?? 0));
  return hasWorkSince(outline, last) ? 0 : last;
}

/** Counts how many times in a row `redo` can be used without an argument. */
async function redoableIn(session: SessionView): Promise<number> {
  const journeys = (await session.journeys()).map(({ entry }) => entry);
  return redoableCount(session.outline, journeys);
}

const JOURNEYS = ["backtrack", "rewind", "redo"] as const;

/**
 * Counts the branches that do not end at the head. Only journeys leave branches, so only their entries are processed.
 */
class BranchesLeft {
  /** The last line of each other branch, and the kind of journey that left the branch. */
  readonly #tips = new Map<number, (typeof JOURNEYS)[number]>();
  #upTo = 0;

  of(outline: Outline): Pick<TimelineState, "branchesLeft" | "leftByBacktracks"> {
    const upTo = this.#upTo;
    const lines = JOURNEYS.flatMap((kind) => {
      const all = outline.linesOf(kind);
      return all.slice(all.findLastIndex((line) => line <= upTo) + 1);
    });
    for (const line of lines.sort((a, b) => a - b)) this.#follow(outline, line);
    this.#upTo = Math.max(upTo, lines.at(-1) ?? 0);
    const leftByBacktracks = [...this.#tips.values()].filter((kind) => kind === "backtrack").length;
    return { branchesLeft: this.#tips.size, leftByBacktracks };
  }

  /**
   * Processes a journey, which leaves the head on the line before the journey's own line. A journey that moves only
   * files does not leave a branch.
   */
  #follow(outline: Outline, line: number): void {
    const row = outline.at(line);
    const landing = row?.parent ?? 0;
    const left = line - 1;
    if (landing === left) return;
    this.#tips.set(left, JOURNEYS.find((kind) => kind === row?.kind) ?? "rewind");
    this.#tips.delete(landing);
  }
}

/**
 * The number of tokens that backtracks saved, as in `worldline stats`. Only a journey changes this number, so it is
 * computed again after each journey.
 */
class SavedTokens {
  readonly #waysByLine = new Map<number, WayLeft>();
  #counted: { readonly journeys: number; readonly saved: number } = { journeys: 0, saved: 0 };

  async of(view: SessionView): Promise<number> {
    const { outline } = view;
    const journeys = JOURNEYS.reduce((count, kind) => count + outline.linesOf(kind).length, 0);
    if (journeys === this.#counted.journeys) return this.#counted.saved;
    const since = ownSince(view);
    const fresh = outline.linesOf("backtrack").filter((line) => !this.#waysByLine.has(line));
    for (const entry of await view.storedEntries(fresh)) {
      if (entry.kind !== "backtrack" || Date.parse(entry.at) < since) continue;
      this.#waysByLine.set(entry.seq, wayLeftBy(outline, entry));
    }
    const saved = savedByBacktracks(outline, this.#waysByLine.values());
    this.#counted = { journeys, saved };
    return saved;
  }
}

/**
 * Number of lines that are read before the status line is drawn. The cost of a longer session appears a moment later.
 */
const AT_ONCE = 500;
const PAGE = 500;
/** The tools that start a sub-agent: our own tool and the Claude Agent SDK's tool. */
const TASKS: ReadonlySet<string> = new Set(["Task", "Agent"]);

interface CostContext {
  readonly view: SessionView;
  readonly store: LogStore;
  readonly context: AppContext;
}

/** The cost of the model calls of a session and its sub-agents, updated as the log grows. */
class RunningCost {
  #upTo = 0;
  #own: number | undefined;
  #ofSubAgents: number | undefined;
  /** Whether the last reply started a sub-agent. */
  #isTaskOpen = false;
  /** Whether a sub-agent has ended and its cost has not been counted yet. */
  #isUncounted = false;
  #reading: Promise<void> | undefined;

  /** Returns the cost in dollars, or undefined if no price is known or not everything has been counted yet. */
  async of(deps: CostContext): Promise<number | undefined> {
    const behind = this.#unread(deps.view).length;
    if (behind > 0) {
      const reading = this.#reading ?? this.#read(deps);
      this.#reading = reading;
      if (behind > AT_ONCE) return undefined;
      await reading;
    }
    const known = [this.#own, this.#ofSubAgents].filter((cost) => cost !== undefined);
    return known.length === 0 ? undefined : known.reduce((sum, cost) => sum + cost, 0);
  }

  /**
   * Reads new entries and adds up their cost. Never rejects, because a cost that cannot be computed is simply not
   * shown.
   */
  async #read(deps: CostContext): Promise<void> {
    const { view, context } = deps;
    try {
      const prices = await pricesOf(context);
      for (let lines = this.#unread(view); lines.length > 0; lines = this.#unread(view)) {
        const page = lines.slice(0, PAGE);
        for (const entry of await view.storedEntries(page)) this.#add(entry, ownSince(view), prices);
        this.#upTo = page.at(-1) ?? this.#upTo;
      }
      if (this.#isUncounted) await this.#countSubAgents(deps, prices);
    } catch {
      this.#own = undefined;
    } finally {
      this.#reading = undefined;
    }
  }

  #unread({ outline }: SessionView): readonly Seq[] {
    const since = this.#upTo;
    const fresh = (["reply", "compaction"] as const).flatMap((kind) => {
      const lines = outline.linesOf(kind);
      return lines.slice(lines.findLastIndex((line) => line <= since) + 1);
    });
    return fresh.sort((a, b) => a - b);
  }

  #add(entry: Entry, since: number, prices: Catalogue): void {
    if ((entry.kind !== "reply" && entry.kind !== "compaction") || Date.parse(entry.at) < since) return;
    if (entry.kind === "reply") this.#follow(entry);
    const { model, usage } = entry;
    if (model === undefined || usage === undefined) return;
    const cost = costOf(usage, model, prices);
    if (cost !== undefined) this.#own = (this.#own ?? 0) + cost;
  }

  /** Processes a reply. Another reply means that the previous reply's calls and their sub-agents have ended. */
  #follow({ parts }: EntryOf<"reply">): void {
    if (this.#isTaskOpen) this.#isUncounted = true;
    this.#isTaskOpen = parts.some((part) => part.type === "tool-call" && TASKS.has(part.name));
  }

  async #countSubAgents({ view, store }: CostContext, prices: Catalogue): Promise<void> {
    this.#isUncounted = false;
    let sum: number | undefined;
    for (const id of subAgentsOf(
      view.id,
      await sessionHeaders(store, { workspace: view.header.workspace }),
    )) {
      const { cost } = priced(await statsOf(await viewSession(store, id)), prices);
      if (cost !== null) sum = (sum ?? 0) + cost;
    }
    this.#ofSubAgents = sum;
  }
}

/** Caches an expensive result for as long as its key stays the same. */
class Kept<Value> {
  #answer: { readonly key: number; readonly value: Value } | undefined;

  async of(key: number, answer: () => Value | Promise<Value>): Promise<Value> {
    // A failed computation is not cached, so it is tried again.
    if (this.#answer?.key !== key) this.#answer = { key, value: await answer() };
    return this.#answer.value;
  }
}
