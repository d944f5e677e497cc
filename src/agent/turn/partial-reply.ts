import type { ModelEvent } from "../../ports/model.ts";
import type { ReplyPart } from "../../record/parts.ts";

type Delta = Exclude<ModelEvent, { type: "end" | "failed" }>;

/** What has arrived of a reply. Calls are left out: half of one must not be run, nor be answered. */
export class PartialReply {
  readonly #parts: { type: "text" | "thinking"; text: string }[] = [];

  add(delta: Delta): void {
    if (delta.type === "call" || delta.text === "") return;
    const last = this.#parts.at(-1);
    if (last?.type === delta.type) last.text += delta.text;
    else this.#parts.push({ type: delta.type, text: delta.text });
  }

  get parts(): readonly ReplyPart[] {
    return this.#parts.filter(({ text }) => text.trim() !== "");
  }
}
