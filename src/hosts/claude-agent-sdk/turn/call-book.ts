import { isAbsolute, resolve } from "node:path";
import { grantsOn } from "../../../agent/agent-context.ts";
import type { OutsideWatch } from "../../../machine/files/outside-files.ts";
import type { Session } from "../../../machine/session.ts";
import type { CallReason } from "../../../record/call-reason.ts";
import { isJsonObject, type Json } from "../../../record/parts.ts";
import type { PermissionContext } from "../permissions/permit-call.ts";
import type { ToolFacts } from "../permissions/tool-facts.ts";
import type { ClaudeContext } from "./claude-context.ts";

/** A call of the SDK's, from the reply that asks for it to its result. */
export interface Call {
  readonly id: string;
  /** As our log names the tool. */
  readonly name: string;
  readonly input: Json;
  /** The log that it stands in: the session's, or that of a sub-agent. */
  readonly session: Session;
  /** The call of the sub-agent that asks for it. */
  readonly task?: string;
  /** What runs, where that is not what the reply asked for. */
  differs?: Json | undefined;
  /** Where a command begins that it runs. */
  folder?: string | undefined;
  /** The words of its command were allowed, so it was given to the SDK as a line in which a shell finds nothing but them. */
  planned?: { readonly given: unknown; readonly text: string };
  facts?: ToolFacts;
  watch?: OutsideWatch | undefined;
  /** Why it may not run, as the model reads it. */
  denied?: string;
  /** The same as a code, where there is one. */
  deniedFor?: CallReason | undefined;
  state: "asked" | "started" | "ended";
  /** "later": whoever carries it out writes its result, at the end of the step. */
  result: "from-sdk" | "later";
}

interface CallRecord {
  readonly call: Call;
  readonly written: Moment;
  readonly ended: Moment;
}

/** The calls of a conversation. Hooks may hear of one before its reply was read, and wait here until it is in the log. */
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

  /** The reply that asks for it is durable. */
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

  /** The call, when its reply has been heard; undefined where that does not come. */
  async announced(id: string, patienceMs: number): Promise<Call | undefined> {
    const awaited = this.#awaited.get(id) ?? new Moment();
    this.#awaited.set(id, awaited);
    if (this.#open(id) === undefined && !this.#isGivenUp) await awaited.within(patienceMs);
    return this.#open(id);
  }

  /** One that has ended is another than the one that is meant: some gateways number the calls of each reply anew. */
  #open(id: string): Call | undefined {
    const call = this.#kept.get(id)?.call;
    return call?.state === "ended" ? undefined : call;
  }

  /** Whether its reply is durable, or becomes so in a while. */
  async written(id: string, patienceMs: number): Promise<"came" | "late"> {
    if (this.#isGivenUp) return "late";
    return (await this.#kept.get(id)?.written.within(patienceMs)) ?? "late";
  }

  /** Resolves when all of them have their results in the log, or after a while. */
  async allEnded(ids: readonly string[], patienceMs: number): Promise<void> {
    if (this.#isGivenUp) return;
    await Promise.all(ids.map(async (id) => this.#ended(id, patienceMs)));
  }

  async #ended(id: string, patienceMs: number): Promise<void> {
    // The SDK finds some calls invalid so quickly that its hook arrives before the reply that asked for them.
    if (!this.#kept.has(id)) await this.announced(id, patienceMs);
    await this.#kept.get(id)?.ended.within(patienceMs);
  }

  /** Those that have no result. */
  open(): readonly Call[] {
    return [...this.#kept.values()].flatMap(({ call }) => (call.state === "ended" ? [] : [call]));
  }

  /** Our store refuses what is heard: whoever waits for it here waits no longer. */
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

/** Something that comes once, and may be waited for before and after. */
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
  /** What will run. */
  readonly given: unknown;
  /** The same, where it is more than what the reply asks for with its paths written out and its gaps filled. */
  readonly differs: Json | undefined;
}

/** A hook of the person's may have changed what the reply asks for: what runs is what is decided on. */
export function givenInput(workspace: string, { input }: Pick<Call, "input">, given: unknown): GivenInput {
  if (!isJsonObject(given) || !isJsonObject(input)) return { given: given ?? input, differs: undefined };
  const isSame = Object.entries(input).every(([name, wanted]) => isSameValue(workspace, wanted, given[name]));
  return { given, differs: isSame ? undefined : given };
}

function isSameValue(workspace: string, wanted: Json, given: Json | undefined): boolean {
  if (JSON.stringify(wanted) === JSON.stringify(given)) return true;
  // "5" is read as 5 where a number is meant.
  if (typeof wanted === "string" && typeof given === "number") return String(given) === wanted;
  if (typeof wanted !== "string" || typeof given !== "string" || !isAbsolute(given)) return false;
  return wanted.startsWith("~") || resolve(workspace, wanted) === given;
}

/** What a sub-agent was granted is in its own log, and holds for itself alone, beside what the session was granted. */
export function permitsFor({ permits }: ClaudeContext, { task, session }: Call): PermissionContext {
  if (task === undefined) return permits;
  return { ...permits, grants: async () => [...(await permits.grants()), ...(await grantsOn(session))] };
}
