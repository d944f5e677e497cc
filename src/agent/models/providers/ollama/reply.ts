import type { ModelEvent } from "../../../../ports/model.ts";
import {
  isDeeperThan,
  isJsonObject,
  type Json,
  type JsonObject,
  MAX_INPUT_DEPTH,
} from "../../../../record/json.ts";
import type { Usage } from "../../../../record/parts.ts";
import { cutFailure, emptyFailure, failureOf, type Scene } from "../../wire/failure.ts";
import { ReplyDraft, tokenCount } from "../../wire/reply.ts";

/** Reads the lines of Ollama's stream into events and a reply. */
export class OllamaReply {
  readonly #draft: ReplyDraft;
  #error: { readonly value: unknown } | undefined;
  #last: JsonObject | undefined;
  #calls = 0;

  constructor(taken: Set<string>) {
    this.#draft = new ReplyDraft(taken);
  }

  get isOver(): boolean {
    return this.#error !== undefined || this.#last !== undefined;
  }

  *take(line: unknown): Generator<ModelEvent> {
    if (!isJsonObject(line)) return;
    if (line["error"] !== undefined) {
      this.#error = { value: { message: String(line["error"]) } };
      return;
    }
    const message = line["message"];
    if (isJsonObject(message)) yield* this.#takeMessage(message);
    if (line["done"] === true) this.#last = line;
  }

  outcome(scene: Scene): ModelEvent {
    if (this.#error !== undefined) return { type: "failed", failure: failureOf(this.#error.value, scene) };
    const last = this.#last;
    if (last === undefined) return { type: "failed", failure: cutFailure(scene) };
    const parts = this.#draft.parts();
    const end = last["done_reason"] === "length" ? "length" : undefined;
    if (parts.every((part) => part.type === "thinking")) {
      return { type: "failed", failure: emptyFailure(scene, end) };
    }
    return { type: "end", parts, ...(end === undefined ? {} : { end }), usage: usageOf(last) };
  }

  *#takeMessage({ thinking, content, tool_calls: calls }: JsonObject): Generator<ModelEvent> {
    if (typeof thinking === "string") yield* this.#add("thinking", thinking);
    if (typeof content === "string") yield* this.#add("text", content);
    for (const call of Array.isArray(calls) ? calls : []) yield* this.#takeCall(call);
  }

  *#add(type: "text" | "thinking", text: string): Generator<ModelEvent> {
    if (text === "") return;
    // What comes after something else is a piece of its own.
    this.#draft.end(type === "text" ? "thinking" : "text", "");
    yield* this.#draft.add(type, "", text);
  }

  /** Calls come whole. What they are called by is ours: Ollama has no ids, or, of late, some that it does not want back. */
  *#takeCall(call: unknown): Generator<ModelEvent> {
    const { function: called } = isJsonObject(call) ? call : {};
    if (!isJsonObject(called)) return;
    const { name, arguments: input } = called;
    const key = String(++this.#calls);
    yield* this.#draft.beginCall(key, undefined, typeof name === "string" ? name : "");
    yield* this.#draft.endCall(key, writtenInput(input));
  }
}

function writtenInput(input: Json | undefined): string {
  if (typeof input === "string") return input;
  return isDeeperThan(input, MAX_INPUT_DEPTH) ? "(nested too deeply)" : JSON.stringify(input ?? {});
}

function usageOf(last: JsonObject): Usage {
  const { prompt_eval_count: input, eval_count: output } = last;
  return { input: tokenCount(input), output: tokenCount(output), cacheRead: 0, cacheWrite: 0 };
}
