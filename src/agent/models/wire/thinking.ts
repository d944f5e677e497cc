import type { LanguageModelV3Message } from "@ai-sdk/provider";
import type { ThinkingPart } from "../../../record/parts.ts";
import { undated } from "../catalogue.ts";
import type { Dialect } from "./dialect.ts";

export type ReasoningPart = Extract<
  Extract<LanguageModelV3Message, { role: "assistant" }>["content"][number],
  { type: "reasoning" }
>;

/** Before the data of thinking that Anthropic shows to nobody, and still wants back. */
const REDACTED = "redacted:";

export function redactedSignature(data: string): string {
  return `${REDACTED}${data}`;
}

/** Whether one model's thinking is the other's own: the same provider, and the same model, whatever its date. */
export function wroteIt(writer: string, reader: string): boolean {
  return undated(writer) === undated(reader);
}

/** A reader's own thinking as it wants it back; nothing, where it does not. */
export function thinkingOf(part: ThinkingPart, dialect: Dialect): ReasoningPart[] {
  const { text, signature } = part;
  switch (dialect.thinking) {
    case "signed":
      return signature === undefined ? [] : [signed(text, signature)];
    case "encrypted":
      return signature === undefined
        ? []
        : [
            {
              type: "reasoning",
              text,
              providerOptions: { openai: { reasoningEncryptedContent: signature } },
            },
          ];
    case "text":
      return text === "" ? [] : [{ type: "reasoning", text }];
    case "none":
      return [];
    default:
      dialect.thinking satisfies never;
      return [];
  }
}

function signed(text: string, signature: string): ReasoningPart {
  const options = signature.startsWith(REDACTED)
    ? { redactedData: signature.slice(REDACTED.length) }
    : { signature };
  return { type: "reasoning", text, providerOptions: { anthropic: options } };
}
