import { isAbsolute, resolve } from "node:path";
import { grantsOn } from "../../../agent/agent-context.ts";
import type { OutsideWatch } from "../../../machine/files/outside-files.ts";
import type { Session } from "../../../machine/session.ts";
import type { CallReason } from "../../../record/call-reason.ts";
import { isJsonObject, type Json } from "../../../record/parts.ts";
import type { PermissionContext } from "../permissions/permit-call.ts";
import type { ToolFacts } from "../permissions/tool-facts.ts";
import type { ClaudeContext } from "./claude-context.ts";

/** An SDK call, from the reply that requests it to its result. */
export interface Call {
  readonly id: string;
  /** The tool's name in our log. */
  readonly name: string;
  readonly input: Json;
  /** The session whose log contains the call: the main session, or a sub-agent's session. */
  readonly session: Session;
  /** The call that started the sub-agent that requested this call. */
  readonly task?: string;
  /** The input that the call runs with, if it differs from the requested input. */
  differs?: Json | undefined;
  /** The folder where the call's command starts. */
  folder?: string | undefined;
  /**
   * Present if only the individual commands in a line were allowed. In that case, the SDK received a line that contains
   * nothing for a shell to expand.
   */
  planned?: { readonly given: unknown; readonly text: string };
  facts?: ToolFacts;
  watch?: OutsideWatch | undefined;
  /** Why the call must not run, in the words that the model reads. */
  denied?: string;
  /** The code for the same reason, if there is one. */
  deniedFor?: CallReason | undefined;
  /** Our hook's answer, if the hook refused the call. */
  refusal?: string;
  state: "asked" | "started" | "ended";
  /** "later" means that the code that carries out the call writes its result at the end of the step. */
  result: "from-sdk" | "later";
}

interface CallRecord {
  readonly call: Call;
  readonly written: Moment;
  readonly ended: Moment;
}

/**
 * The calls of a conversation. A hook may arrive before the reply with its call has been read. In that case, the hook
 * waits here until the reply is in the log.
 */
export class CallBook {
  readonly #kept = new Map<string, CallRecord>();
  readonly #awaited = new Map<string, Moment>();
  #isGivenUp = false;

  add(call: Call): void {
    this.#kept.set(call.id, { call, written: new Moment(), ended: new Moment() });
    this.#awaited.get(call.id)?.come();
  }

  get(id: string): Call | undefined {
    return this.#kept.get(id)?.call;
  }

  /** Records that the reply that requests the call is durable. */
  wrote(id: string): void {
    this.#kept.get(id)?.written.come();
  }

  ended(id: string): void {
    const kept = this.#kept.get(id);
    if (kept === undefined) return;
    kept.call.state = "ended";
    kept.ended.come();
    this.#awaited.delete(id);
  }

  /**
   * Waits for the reply that requests the call. Returns the call, or undefined if the reply does not arrive in time.
   */
  async announced(id: string, patienceMs: number): Promise<Call | undefined> {
    const awaited = this.#awaited.get(id) ?? new Moment();
    this.#awaited.set(id, awaited);
    if (this.#open(id) === undefined && !this.#isGivenUp) await awaited.within(patienceMs);
    return this.#open(id);
  }

  /**
   * Returns the unfinished call with this id. Some gateways restart the numbering of calls in each reply, so an id may
   * also belong to an ended call.
   */
  #open(id: string): Call | undefined {
    const call = this.#kept.get(id)?.call;
    return call?.state === "ended" ? undefined : call;
  }

  /** Waits until the reply that requests the call is durable, but no longer than `patienceMs`. */
  async written(id: string, patienceMs: number): Promise<"came" | "late"> {
    if (this.#isGivenUp) return "late";
    return (await this.#kept.get(id)?.written.within(patienceMs)) ?? "late";
  }

  /** Resolves when the results of all the calls are in the log, or when the time limit is reached. */
  async allEnded(ids: readonly string[], patienceMs: number): Promise<void> {
    if (this.#isGivenUp) return;
    await Promise.all(ids.map(async (id) => this.#ended(id, patienceMs)));
  }

  async #ended(id: string, patienceMs: number): Promise<void> {
    // The SDK rejects some invalid calls so quickly that the hook is called before the reply that requested the calls
    // arrives.
    if (!this.#kept.has(id)) await this.announced(id, patienceMs);
    await this.#kept.get(id)?.ended.within(patienceMs);
  }

  /** Returns the calls that have no result yet. */
  open(): readonly Call[] {
    return [...this.#kept.values()].flatMap(({ call }) => (call.state === "ended" ? [] : [call]));
  }

  /** Ends all waits. Called when our store refuses entries. */
  giveUp(): void {
    this.#isGivenUp = true;
    for (const awaited of this.#awaited.values()) awaited.come();
    for (const { written, ended } of this.#kept.values()) {
      written.come();
      ended.come();
    }
  }

  clear(): void {
    this.#isGivenUp = false;
    this.#kept.clear();
    this.#awaited.clear();
  }
}

/** An event that happens once and that can be awaited both before and after it happens. */
class Moment {
  readonly #came: Promise<void>;
  come: () => void = () => undefined;

  constructor() {
    this.#came = new Promise((resolve) => (this.come = resolve));
  }

  async within(milliseconds: number): Promise<"came" | "late"> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), milliseconds);
    });
    try {
      return await Promise.race([this.#came.then(() => "came" as const), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

export interface GivenInput {
  /** The input that the call will run with. */
  readonly given: unknown;
  /** The same input, but only if it differs from the requested input in more than absolute paths and added defaults. */
  readonly differs: Json | undefined;
}

/**
 * Compares the requested input with the input that the call will actually run with. One of the user's hooks may have
 * changed the input, and the permission check must apply to the input that will run.
 */
export function givenInput(workspace: string, { input }: Pick<Call, "input">, given: unknown): GivenInput {
  if (!isJsonObject(given) || !isJsonObject(input)) return { given: given ?? input, differs: undefined };
  const isSame = Object.entries(input).every(([name, wanted]) => isSameValue(workspace, wanted, given[name]));
  return { given, differs: isSame ? undefined : given };
}

function isSameValue(workspace: string, wanted: Json, given: Json | undefined): boolean {
  if (JSON.stringify(wanted) === JSON.stringify(given)) return true;
  // "5" is read as 5 if a number is expected.
  if (typeof wanted === "string" && typeof given === "number") return String(given) === wanted;
  if (typeof wanted !== "string" || typeof given !== "string" || !isAbsolute(given)) return false;
  return wanted.startsWith("~") || resolve(workspace, wanted) === given;
}

/**
 * Returns the context for deciding whether a call is permitted. A sub-agent's grants are in its own log. These grants
 * apply only to that sub-agent, in addition to the session's grants.
 */
export function permitsFor({ permits }: ClaudeContext, { task, session }: Call): PermissionContext {
  if (task === undefined) return permits;
  return { ...permits, grants: async () => [...(await permits.grants()), ...(await grantsOn(session))] };
}
