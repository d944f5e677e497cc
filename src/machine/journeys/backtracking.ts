import type { Entry, EntryOf } from "../../record/entry.ts";
import { isWorldlineError, type Remark, remark, remarkOf } from "../../record/error.ts";
import { type EntryId, type Seq, toSeq } from "../../record/ids.ts";
import { BACKTRACK_TOOL, type ToolCallPart, textOf } from "../../record/parts.ts";
import { isPersonCall } from "../../timeline/calls.ts";
import { findCheckpoint } from "../../timeline/checkpoints.ts";
import { quoteLines } from "../../timeline/context/notices.ts";
import { branchSince, nearest } from "../../timeline/outline.ts";
import type { Row } from "../../timeline/row.ts";
import { leftBehind } from "../../timeline/stats.ts";
import {
  type BacktrackRequest,
  type BacktrackTally,
  planBacktrack,
  type Refusal,
  refuseBacktrack,
} from "../../travel/backtrack.ts";
import type { DuringPath } from "../../travel/plan-files.ts";
import { type DecidedJourney, type MadeJourney, makeJourney, type WritingView } from "../files/perform.ts";
import type { FilesOutcome } from "../files/requests.ts";
import { promptReturnedTo } from "../queries/left-behind.ts";
import type { SessionSettings } from "../settings.ts";
import type { Placed } from "../writer.ts";
import { appendsOf } from "../writer.ts";
import {
  type BacktrackContext,
  type BacktrackFiles,
  leavePresent,
  lookForBacktrack,
  obstacleInFiles,
} from "./backtrack-files.ts";

export type BacktrackAnswer = { readonly status: "filed" } | ({ readonly status: "refused" } & Refusal);

export type BacktrackEnd =
  | { readonly status: "none" }
  | ({ readonly status: "dropped" } & Remark)
  | {
      readonly status: "carried-out";
      readonly journey: EntryId;
      readonly to: number;
      readonly note: string;
      readonly rationale?: string;
      /** The text of the prompt that the agent returned to; absent if the prompt has no text. */
      readonly prompt?: string;
      /**
       * The number of entries and tokens that the backtrack removed from the branch, for the summary shown to the user.
       */
      readonly entries: number;
      readonly tokens: number;
      /** The outcome for the files; absent if the backtrack did not restore files. */
      readonly files?: FilesOutcome;
      /**
       * Restored paths that changed while a command was running. These changes may have been made by the user rather
       * than the command.
       */
      readonly during?: readonly DuringPath[];
    };

/**
 * The reason why a request was dropped by an interrupt. An interrupt does not wait for the end of a step, so it can
 * drop the request while the log is still being read.
 */
const ENDED_MEANWHILE = remark("backtrack-turn-ended-meanwhile");

/** Facts that only the calling program can provide. */
export interface WorldFacts {
  readonly changed: readonly string[];
  readonly running: readonly string[];
  /**
   * Called before anything is changed. Returns the reason why a backtrack cannot restore files now, or undefined if it
   * can. If there is a reason, the backtrack is dropped. By default, files can be restored.
   */
  readonly whyKeepFiles?: () => Remark | undefined;
}

/**
 * Holds the agent's request to backtrack until the end of the step in which the request was made. The request is kept
 * only in memory, because after a crash or an interrupt, it must not be carried out in a later turn.
 */
export class Backtracking {
  readonly #session: WritingView;
  readonly #settings: SessionSettings;
  /** Undefined if files are not tracked. */
  readonly #files: BacktrackContext | undefined;
  /**
   * The calls that requested a backtrack through this object. The key includes the reply, because providers may reuse a
   * call's id.
   */
  readonly #ownCalls = new Set<string>();
  #pending: Pending | undefined;

  constructor(session: WritingView, settings: SessionSettings, files?: BacktrackContext) {
    this.#session = session;
    this.#settings = settings;
    this.#files = files;
  }

  async request(call: string, request: BacktrackRequest): Promise<BacktrackAnswer> {
    const reply = this.#replyAbove(this.#session.outline.head);
    this.#ownCalls.add(nameOf(reply, call));
    const known = await this.#tally(request);
    // Checked after the wait, because the calls of a step may run in parallel and only one request is allowed per step.
    const tally: BacktrackTally = { ...known, pending: this.#pending === undefined ? "no" : "yes" };
    const refusal = refuseBacktrack(this.#session.outline, request, tally);
    if (refusal !== undefined) return { status: "refused", ...refusal };
    this.#pending = { call, reply, request };
    return { status: "filed" };
  }

  /** Whether a request is waiting for the end of its step. */
  get isFiled(): boolean {
    return this.#pending !== undefined;
  }

  async end(facts: WorldFacts): Promise<BacktrackEnd> {
    const pending = this.#pending;
    if (pending === undefined) return { status: "none" };
    const why = whyFilesStay(pending, facts) ?? (await this.#obstacle(pending));
    if (this.#pending !== pending) return { status: "dropped", ...ENDED_MEANWHILE };
    if (why !== undefined) return this.#dropPending(pending, why);
    const files = this.#files;
    if (files === undefined) return this.#carryOut(pending, facts, undefined);
    const turns = files.files ?? files.outside;
    return turns.inTurn(async () => this.#withFiles(pending, facts, files));
  }

  async drop(why: Remark): Promise<void> {
    if (this.#pending !== undefined) await this.#dropPending(this.#pending, why);
  }

  /**
   * Captures the current files before anything is changed, so that the model can be shown which files differ at the
   * destination.
   */
  async #withFiles(pending: Pending, world: WorldFacts, files: BacktrackContext): Promise<BacktrackEnd> {
    const looked = await lookForBacktrack(files, pending.request);
    if (this.#pending !== pending) return { status: "dropped", ...ENDED_MEANWHILE };
    if ("why" in looked) return this.#dropPending(pending, looked);
    return this.#carryOut(pending, { ...world, ...looked.changed }, looked);
  }

  async #carryOut(
    pending: Pending,
    world: WorldFacts,
    looked: BacktrackFiles | undefined,
  ): Promise<BacktrackEnd> {
    const session = this.#session;
    const { outline } = session;
    const { call, request } = pending;
    const target = findCheckpoint(outline, request.to);
    const backtracks = await session.entriesOf("backtrack");
    let left = branchSince(outline, (target?.seq ?? 0) + 1);
    let since = await session.entries(left.map((row) => row.seq));
    const prompt = await promptReturnedTo(session, request.to);
    const present = looked === undefined ? {} : await leavePresent(looked);
    // The note must also include anything that the user wrote during the wait.
    while (left.at(-1)?.seq !== outline.head?.seq) {
      left = branchSince(outline, (target?.seq ?? 0) + 1);
      since = await session.entries(left.map((row) => row.seq));
    }
    if (this.#pending !== pending) return { status: "dropped", ...ENDED_MEANWHILE };
    if ("why" in present) return this.#dropPending(pending, present);
    const kept = whyFilesStay(pending, world);
    if (kept !== undefined) return this.#dropPending(pending, kept);
    this.#pending = undefined;
    const facts = { since, backtracks, ...(prompt === undefined ? {} : { prompt }), ...world };
    const result: Placed = { draft: resultOf(call, "ok", `Going back to checkpoint ${request.to}.`) };
    const write = async (): Promise<EntryId> => {
      const journey = appendsOf(planBacktrack(outline, request, { facts, present }));
      const [id] = await session.write([...journey, ...noticesOf(looked)]);
      return id as EntryId;
    };
    if (looked?.decided !== undefined) {
      // The call's result must be written first, because the restore's journal contains the head before the journey.
      await session.write([result]);
      const made = await this.#make({ ...looked.decided, write }, request.to);
      return "why" in made
        ? { status: "dropped", ...made }
        : {
            ...(await this.#carriedOut(made.journey, request, prompt)),
            ...made,
            ...wentBack(looked.decided),
          };
    }
    // Writes the call's result, which is the last entry of the abandoned branch, and the journey. The journey is
    // planned after the result has been added to the outline, and both are written in one append, so that only a crash
    // can leave the result without the journey.
    const [, journey] = await Promise.all([session.write([result]), write()]);
    return this.#carriedOut(journey, request, prompt);
  }

  /** The counts come from the written entry, so that the summary agrees with the log's statistics. */
  async #carriedOut(
    journey: EntryId,
    { to, note, rationale }: BacktrackRequest,
    prompt: string | undefined,
  ): Promise<Extract<BacktrackEnd, { status: "carried-out" }>> {
    const { outline } = this.#session;
    const row = outline.byId(journey);
    const [entry] = row === undefined ? [] : await this.#session.storedEntries([row.seq]);
    const left = entry?.kind === "backtrack" ? leftBehind(outline, entry) : { entries: 0, tokens: 0 };
    return {
      status: "carried-out",
      journey,
      to,
      note,
      ...(rationale === undefined ? {} : { rationale }),
      ...(prompt === undefined ? {} : { prompt }),
      ...left,
    };
  }

  /**
   * Performs the journey. If the journey fails at the last moment, writes a notice to revoke the call's result, which
   * already states that the agent is going back.
   */
  async #make(decided: DecidedBacktrack, to: number): Promise<MadeJourney | Remark> {
    const { outline } = this.#session;
    const line = outline.nextSeq;
    try {
      return await makeJourney(decided.context, decided);
    } catch (error) {
      // A journey that is in the log, or is waiting to be written to it, counts as performed. Its restore is finished
      // the next time the session is opened.
      const isWritten = (outline.linesOf("backtrack").at(-1) ?? 0) >= line;
      if (isWritten || !isWorldlineError(error)) throw error;
      const text = `The backtrack to checkpoint ${to} was not carried out:\n${quoteLines(error.message)}`;
      await this.#session.write([{ draft: { kind: "notice", text } }]);
      return remarkOf(error);
    }
  }

  async #dropPending(pending: Pending, remarked: Remark): Promise<BacktrackEnd> {
    this.#pending = undefined;
    await this.#session.write([
      { draft: resultOf(pending.call, "error", `The backtrack was dropped. ${remarked.why}`) },
    ]);
    return { status: "dropped", ...remarked };
  }

  /** The reason to drop the backtrack if the step did not go as the agent expected when it made the request. */
  async #obstacle(pending: Pending): Promise<Remark | undefined> {
    const { outline } = this.#session;
    const step = nearest(outline, outline.head, ({ kind }) => kind === "reply" || kind === "step");
    if ((step?.seq ?? 0) !== pending.reply) return remark("backtrack-step-over");
    const rows = branchSince(outline, pending.reply);
    const entries = await this.#session.entries(rows.map((row) => row.seq));
    const ends = new Map(
      entries.flatMap((entry) => (entry.kind === "tool-end" ? [[entry.call, entry.outcome]] : [])),
    );
    for (const call of callsOf(entries[0]).filter((one) => one !== pending.call)) {
      const outcome = ends.get(call);
      if (outcome === "denied") return remark("backtrack-call-denied");
      if (outcome === undefined || outcome === "interrupted") return remark("backtrack-call-unfinished");
    }
    return undefined;
  }

  async #tally(request: BacktrackRequest): Promise<Omit<BacktrackTally, "pending">> {
    const { outline, header } = this.#session;
    const lastPrompt = outline.linesOf("prompt").at(-1) ?? 0;
    const backtracks = outline.linesOf("backtrack");
    return {
      enabled: header.backtrack === "on" ? "yes" : "no",
      snapshots: await obstacleInFiles(this.#files, request),
      backtracks: await this.#session.entriesOf("backtrack"),
      inThisTurn: backtracks.filter((line) => line > lastPrompt).length,
      maxPerTurn: this.#settings.maxBacktracksPerTurn,
      progress: await this.#progressSince(backtracks.at(-1)),
    };
  }

  /**
   * Returns whether there has been progress since the last backtrack. A prompt or an answer counts as progress just
   * like a tool call, because it involves the user. Before the first backtrack, progress is not checked, because that
   * would require reading every result in the session.
   */
  async #progressSince(last: Seq | undefined): Promise<BacktrackTally["progress"]> {
    if (last === undefined) return "none";
    const { outline } = this.#session;
    if ((outline.linesOf("prompt").at(-1) ?? 0) > last) return "some";
    const replies = outline.linesOf("reply").filter((line) => line > last);
    const isAnswered = (await this.#session.storedEntries(replies)).some(
      (entry) => entry.kind === "reply" && callsOf(entry).length === 0 && textOf(entry.parts).trim() !== "",
    );
    return isAnswered || (await this.#callsSince(last)) > 0 ? "some" : "none";
  }

  async #callsSince(last: Seq): Promise<number> {
    const { outline } = this.#session;
    const ends = outline.linesOf("tool-end");
    const earlier = ends.findLastIndex((line) => line < last);
    const results = await this.#session.storedEntries(ends.slice(earlier + 1));
    const calls = results.flatMap((entry) =>
      entry.kind === "tool-end" && !isPersonCall(entry.call)
        ? [{ call: entry.call, reply: this.#replyAbove(outline.at(entry.seq)) }]
        : [],
    );
    const own = await this.#ownCallsOf(calls.map(({ reply }) => reply));
    return calls.filter(({ call, reply }) => !own.has(nameOf(reply, call))).length;
  }

  /**
   * The calls that requested a backtrack. Calls made by an earlier process are recognized by the tool's name in the
   * reply.
   */
  async #ownCallsOf(replies: readonly number[]): Promise<ReadonlySet<string>> {
    const lines = [...new Set(replies)].filter((line) => line > 0).map(toSeq);
    const entries = await this.#session.storedEntries(lines);
    const named = entries.flatMap((entry) =>
      callsOf(entry, (part) => part.name === BACKTRACK_TOOL).map((call) => nameOf(entry.seq, call)),
    );
    return new Set([...this.#ownCalls, ...named]);
  }

  /** The line of the nearest reply at or above `row`; 0 if there is none. */
  #replyAbove(row: Row | undefined): number {
    return nearest(this.#session.outline, row, ({ kind }) => kind === "reply")?.seq ?? 0;
  }
}

type DecidedBacktrack = DecidedJourney & NonNullable<BacktrackFiles["decided"]>;

interface Pending {
  readonly call: string;
  /** The line of the reply that contains the call. */
  readonly reply: number;
  readonly request: BacktrackRequest;
}

function whyFilesStay({ request }: Pending, { whyKeepFiles }: WorldFacts): Remark | undefined {
  return request.files === "restore" ? whyKeepFiles?.() : undefined;
}

function wentBack({ plan }: Pick<DecidedJourney, "plan">): { readonly during?: readonly DuringPath[] } {
  const steps = new Set(plan.steps.map(({ path }) => path));
  const during = plan.during.filter(({ path }) => steps.has(path));
  return during.length === 0 ? {} : { during };
}

function nameOf(reply: number, call: string): string {
  return `${reply}/${call}`;
}

function noticesOf(looked: BacktrackFiles | undefined): readonly Placed[] {
  return looked?.git === undefined ? [] : [{ draft: { kind: "notice", text: looked.git } }];
}

function resultOf(call: string, outcome: EntryOf<"tool-end">["outcome"], text: string): Placed["draft"] {
  return { kind: "tool-end", call, outcome, parts: [{ type: "text", text }] };
}

function callsOf(reply: Entry | undefined, wanted: (part: ToolCallPart) => boolean = () => true): string[] {
  if (reply?.kind !== "reply") return [];
  return reply.parts.flatMap((part) => (part.type === "tool-call" && wanted(part) ? [part.call] : []));
}
