import { type Catalogue, costOf } from "../../../agent/models/catalogue.ts";
import { viewSession } from "../../../machine/open.ts";
import { statsOf } from "../../../machine/queries/sessions.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import type { Entry, EntryOf } from "../../../record/entry.ts";
import type { Seq } from "../../../record/ids.ts";
import { pricesOf } from "../../agent/open-model.ts";
import type { AppContext } from "../../context.ts";
import { sessionHeaders, subAgentsOf } from "../../sessions/session-headers.ts";
import { priced } from "../costs.ts";
import { ownSince } from "./own-since.ts";

/** How many lines are read before somebody who waits gets an answer; what a long session cost comes a moment later. */
const AT_ONCE = 500;
const PAGE = 500;
/** The tools that start a sub-agent: our own, and that of the Claude Agent SDK. */
const TASKS: ReadonlySet<string> = new Set(["Task", "Agent"]);

interface CostGround {
  readonly view: SessionView;
  readonly store: LogStore;
  readonly context: AppContext;
}

/** What the session's model calls cost, and those of its sub-agents, kept while the log grows. */
export class RunningCost {
  #upTo = 0;
  #own: number | undefined;
  #ofSubAgents: number | undefined;
  /** Whether the last reply has started a sub-agent. */
  #isTaskOpen = false;
  /** Whether one has ended that nobody has counted. */
  #isUncounted = false;
  #reading: Promise<void> | undefined;

  /** In dollars. Undefined where no price is known, or not all has been counted yet. */
  async of(ground: CostGround): Promise<number | undefined> {
    const behind = this.#unread(ground.view).length;
    if (behind > 0) {
      const reading = this.#reading ?? this.#read(ground);
      this.#reading = reading;
      if (behind > AT_ONCE) return undefined;
      await reading;
    }
    const known = [this.#own, this.#ofSubAgents].filter((cost) => cost !== undefined);
    return known.length === 0 ? undefined : known.reduce((sum, cost) => sum + cost, 0);
  }

  /** Never rejects: a cost that cannot be counted is not shown. */
  async #read(ground: CostGround): Promise<void> {
    const { view, context } = ground;
    try {
      const prices = await pricesOf(context);
      for (let lines = this.#unread(view); lines.length > 0; lines = this.#unread(view)) {
        const page = lines.slice(0, PAGE);
        for (const entry of await view.storedEntries(page)) this.#add(entry, ownSince(view), prices);
        this.#upTo = page.at(-1) ?? this.#upTo;
      }
      if (this.#isUncounted) await this.#countSubAgents(ground, prices);
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

  /** The model is asked again when the calls of its last reply have ended. */
  #follow({ parts }: EntryOf<"reply">): void {
    if (this.#isTaskOpen) this.#isUncounted = true;
    this.#isTaskOpen = parts.some((part) => part.type === "tool-call" && TASKS.has(part.name));
  }

  async #countSubAgents({ view, store }: CostGround, prices: Catalogue): Promise<void> {
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
