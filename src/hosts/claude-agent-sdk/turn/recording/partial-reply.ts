import type { AgentEvent } from "../../../../ports/agent-events.ts";
import { type ReplyPart, textPart } from "../../../../record/parts.ts";
import type { LogName } from "../../sdk/own-tools.ts";
import type { SdkRawEvent } from "../../sdk/sdk-types.ts";

/** The block that is being said: told as it arrives, and kept in case that it is never finished. */
export class PartialReply {
  readonly #logName: LogName;
  #model = "";
  #text = "";
  #call: { readonly id: string; readonly name: string } | undefined;

  constructor(logName: LogName) {
    this.#logName = logName;
  }

  begin(model: string): void {
    this.#model = model;
    this.#text = "";
  }

  /** What is to be told of the event. */
  hear(event: SdkRawEvent): readonly AgentEvent[] {
    if (event.type === "content_block_start") {
      const { type, id = "", name = "" } = event.content_block;
      this.#text = "";
      this.#call = type === "tool_use" ? { id, name: this.#logName(name) } : undefined;
      return this.#call === undefined ? [] : [callEvent(this.#call, "")];
    }
    return event.type === "content_block_delta" ? this.#delta(event.delta) : [];
  }

  /** The block has come as a whole. */
  whole(): void {
    this.#text = "";
  }

  /** Text alone: thinking without its signature and half a call are of no use to anybody. */
  take(): { readonly parts: readonly ReplyPart[]; readonly model: string } {
    const text = this.#text;
    this.#text = "";
    return { parts: text === "" ? [] : [textPart(text)], model: this.#model };
  }

  #delta(delta: Extract<SdkRawEvent, { type: "content_block_delta" }>["delta"]): readonly AgentEvent[] {
    if (delta.type === "text_delta") {
      const { text = "" } = delta;
      this.#text += text;
      return [{ type: "text", text }];
    }
    if (delta.type === "thinking_delta") return [{ type: "thinking", text: delta.thinking ?? "" }];
    if (delta.type === "input_json_delta" && this.#call !== undefined) {
      return [callEvent(this.#call, delta.partial_json ?? "")];
    }
    return [];
  }
}

function callEvent({ id, name }: { readonly id: string; readonly name: string }, text: string): AgentEvent {
  return { type: "call", call: id, name, text };
}
