import type { Entry, EntryOf } from "../record/entry.ts";
import type { EntryId } from "../record/ids.ts";
import { branchOf } from "../timeline/branch.ts";
import type { Row } from "../timeline/outline.ts";
import { findCheckpoint } from "../timeline/checkpoints.ts";
import { type BacktrackRequest, planBacktrack } from "../travel/backtrack.ts";
import { type BacktrackTally, type Refusal, refuseBacktrack } from "../travel/refusal.ts";
import { contextTokens } from "../timeline/tokens/count.ts";
import { appendsOf } from "./perform.ts";
import type { SessionSettings } from "./settings.ts";
import type { Placed } from "./stamp.ts";
import type { SessionView } from "./view.ts";

export type BacktrackAnswer = { readonly status: "filed" } | ({ readonly status: "refused" } & Refusal);

export type BacktrackEnd =
  | { readonly status: "none" }
  | { readonly status: "dropped"; readonly why: string }
  | {
      readonly status: "carried-out";
      readonly journey: EntryId;
      readonly to: number;
      /** What was left behind, for the card that the person sees. */
      readonly entries: number;
      readonly tokens: number;
    };

/** What only the program around the session can know. */
export interface WorldFacts {
  readonly changed: readonly string[];
  readonly running: readonly string[];
}

/** The session, as far as a backtrack writes to it. */
export interface BacktrackSession extends SessionView {
  write(placed: readonly Placed[]): Promise<readonly EntryId[]>;
}

/**
 * A request of the agent, from the call that files it to the end of its step. It lives in
 * memory only: what a crash or an interrupt cuts off must not happen in a later turn.
 */
export class Backtracking {
  readonly #session: BacktrackSession;
  readonly #settings: SessionSettings;
  readonly #ownCalls = new Set<string>();
  #pending: { readonly call: string; readonly request: BacktrackRequest } | undefined;

  constructor(session: BacktrackSession, settings: SessionSettings) {
    this.#session = session;
    this.#settings = settings;
  }

  async request(call: string, request: BacktrackRequest): Promise<BacktrackAnswer> {
    const refusal = refuseBacktrack(this.#session.outline, request, await this.#tally());
    this.#ownCalls.add(call);
    if (refusal !== undefined) return { status: "refused", ...refusal };
    this.#pending = { call, request };
    return { status: "filed" };
  }

  async end(facts: WorldFacts): Promise<BacktrackEnd> {
    const pending = this.#pending;
    if (pending === undefined) return { status: "none" };
    const why = await this.#obstacle(pending.call);
    if (why !== undefined) return this.#dropPending(why);
    this.#pending = undefined;
    return this.#carryOut(pending.call, pending.request, facts);
  }

  async drop(why: string): Promise<void> {
    if (this.#pending !== undefined) await this.#dropPending(why);
  }

  /** The result of the backtrack's own call is written last, on the branch that it leaves. */
  async #carryOut(call: string, request: BacktrackRequest, world: WorldFacts): Promise<BacktrackEnd> {
    const session = this.#session;
    const { outline } = session;
    const target = findCheckpoint(outline, request.to);
    const left = branchOf(outline).filter((row) => row.seq > (target?.seq ?? 0));
    const tokens = contextTokens(outline, outline.head) - contextTokens(outline, target);
    const facts = {
      since: await session.entries(left.map((row) => row.seq)),
      backtracks: await session.entriesOf("backtrack"),
      ...world,
    };
    await session.write([{ draft: resultOf(call, "ok", `Going back to checkpoint ${request.to}.`) }]);
    const journey = planBacktrack(outline, request, { facts, present: {} });
    const [id] = await session.write(appendsOf(journey));
    return { status: "carried-out", journey: id as EntryId, to: request.to, entries: left.length, tokens };
  }

  async #dropPending(why: string): Promise<BacktrackEnd> {
    const call = this.#pending?.call ?? "";
    this.#pending = undefined;
    await this.#session.write([{ draft: resultOf(call, "error", `The backtrack was dropped. ${why}`) }]);
    return { status: "dropped", why };
  }

  /** A sibling call that was denied or cut off means that the step did not go as the agent thought. */
  async #obstacle(ownCall: string): Promise<string | undefined> {
    const branch = branchOf(this.#session.outline);
    const lastReply = branch.findLastIndex((row) => row.kind === "reply");
    const step = await this.#session.entries(branch.slice(Math.max(0, lastReply)).map((row) => row.seq));
    const ends = new Map(step.flatMap((entry) => (entry.kind === "tool-end" ? [[entry.call, entry.outcome]] : [])));
    for (const call of callsOf(step[0]).filter((one) => one !== ownCall)) {
      const outcome = ends.get(call);
      if (outcome === "denied") return "A call beside it was denied.";
      if (outcome === undefined || outcome === "interrupted") return "A call beside it did not finish.";
    }
    return undefined;
  }

  async #tally(): Promise<BacktrackTally> {
    const { outline, header } = this.#session;
    const lastPrompt = outline.ofKind("prompt").at(-1)?.seq ?? 0;
    const rows = outline.ofKind("backtrack");
    return {
      enabled: header.backtrack === "on" ? "yes" : "no",
      pending: this.#pending === undefined ? "no" : "yes",
      backtracks: await this.#session.entriesOf("backtrack"),
      inThisTurn: rows.filter((row) => row.seq > lastPrompt).length,
      maxPerTurn: this.#settings.maxBacktracksPerTurn,
      callsSince: await this.#callsSince(rows.at(-1)),
    };
  }

  /** Before the first backtrack nobody asks, and every result of the session would be read. */
  async #callsSince(last: Row | undefined): Promise<number> {
    if (last === undefined) return 0;
    const ends = this.#session.outline.ofKind("tool-end");
    const earlier = ends.findLastIndex((row) => row.seq < last.seq);
    const results = await this.#session.storedEntries(ends.slice(earlier + 1).map((row) => row.seq));
    return results.filter((entry) => entry.kind === "tool-end" && !this.#ownCalls.has(entry.call)).length;
  }
}

function resultOf(call: string, outcome: EntryOf<"tool-end">["outcome"], text: string): Placed["draft"] {
  return { kind: "tool-end", call, outcome, parts: [{ type: "text", text }] };
}

function callsOf(reply: Entry | undefined): string[] {
  if (reply?.kind !== "reply") return [];
  return reply.parts.flatMap((part) => (part.type === "tool-call" ? [part.call] : []));
}
