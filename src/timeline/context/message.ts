import type { Part, ReplyPart } from "../../record/parts.ts";

/** Exactly what is sent to the model, in no provider's format. */
export interface Context {
  readonly system: string;
  readonly messages: readonly ContextMessage[];
  /** Indexes of the messages after which a provider's prefix cache should be marked. */
  readonly breakpoints: readonly number[];
}

export type ContextMessage = UserMessage | AssistantMessage | ToolMessage;

export interface UserMessage {
  readonly role: "user";
  readonly parts: readonly Part[];
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly model: string;
  readonly parts: readonly ReplyPart[];
}

export interface ToolMessage {
  readonly role: "tool";
  readonly call: string;
  readonly name: string;
  readonly outcome: "ok" | "error" | "denied" | "interrupted";
  readonly parts: readonly Part[];
}
