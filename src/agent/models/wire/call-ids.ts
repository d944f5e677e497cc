import { createHash } from "node:crypto";
import type { Context } from "../../../timeline/context/message.ts";
import type { Dialect } from "./dialect.ts";

const PLAIN = /^[A-Za-z0-9_-]{1,40}$/;
/** OpenAI's limit, and the shortest of those we speak to. */
const NAME_LIMIT = 64;

/**
 * Gives each call of a context an id that its provider accepts and that no other call has, and its result the same one.
 * A function of what stands before, so that a longer context begins with the same bytes.
 */
export class WireCallIds {
  readonly #form: Dialect["callIds"];
  readonly #used = new Set<string>();
  #open = new Map<string, string[]>();

  constructor(form: Dialect["callIds"]) {
    this.#form = form;
  }

  /** A new reply: what its predecessor called is answered. */
  nextReply(): void {
    this.#open = new Map();
  }

  ofCall(call: string): string {
    const id = unused(this.#accepted(call), this.#used);
    this.#used.add(id);
    this.#open.set(call, [...(this.#open.get(call) ?? []), id]);
    return id;
  }

  ofResult(call: string): string {
    const [id, ...others] = this.#open.get(call) ?? [];
    this.#open.set(call, others);
    return id ?? this.#accepted(call);
  }

  #accepted(call: string): string {
    if (call === "") return "call";
    if (this.#form === "any" || PLAIN.test(call)) return call;
    return `call_${createHash("sha256").update(call).digest("hex").slice(0, 24)}`;
  }
}

function unused(id: string, used: ReadonlySet<string>): string {
  if (!used.has(id)) return id;
  for (let count = 2; ; count++) {
    const next = `${id.slice(0, 36)}-${count}`;
    if (!used.has(next)) return next;
  }
}

/** A name that every wire accepts, whatever a model made up. */
export function wireName(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_LIMIT);
  return plain === "" ? "unknown" : plain;
}

/** The ids that calls of a context have: a new reply must use others. */
export function callIdsIn(context: Context): Set<string> {
  const parts = context.messages.flatMap((message) => (message.role === "assistant" ? message.parts : []));
  return new Set(parts.flatMap((part) => (part.type === "tool-call" ? [part.call] : [])));
}

/** The id that the provider wrote; where it wrote none, or one that is taken, the next free number. Takes it. */
export function takeCallId(written: string | undefined, taken: Set<string>): string {
  const isUsable = written !== undefined && written.trim() !== "" && !taken.has(written);
  const id = isUsable ? written : nextFree(taken);
  taken.add(id);
  return id;
}

function nextFree(taken: ReadonlySet<string>): string {
  for (let count = 1; ; count++) {
    if (!taken.has(`call-${count}`)) return `call-${count}`;
  }
}
