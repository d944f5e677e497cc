import { isJsonObject, type Json, type JsonObject } from "../../../record/json.ts";
import { type Part, type ThinkingPart, textPart } from "../../../record/parts.ts";

/** `content` of a message, in our parts. */
export interface KimiContent {
  readonly parts: readonly (Part | ThinkingPart)[];
  /** Sounds, films and pictures that are only named: we keep pictures that are in the file itself. */
  readonly leftOut: number;
}

const MEDIA = ["image_url", "audio_url", "video_url"] as const;
const LONGEST_ADDRESS = 300;

/** A string when it is one piece of text, else a list of parts, or null for none; undefined when it is neither. */
export function contentOf(value: Json | undefined): KimiContent | undefined {
  if (value === undefined || value === null) return { parts: [], leftOut: 0 };
  if (typeof value === "string") return { parts: [textPart(value)], leftOut: 0 };
  if (!Array.isArray(value)) return undefined;
  const parts: (Part | ThinkingPart)[] = [];
  let leftOut = 0;
  for (const item of value as readonly Json[]) {
    const part = isJsonObject(item) ? partOf(item) : undefined;
    if (part === undefined) return undefined;
    parts.push(part.part);
    leftOut += part.isLeftOut ? 1 : 0;
  }
  return { parts, leftOut };
}

interface OnePart {
  readonly part: Part | ThinkingPart;
  readonly isLeftOut: boolean;
}

function partOf(item: JsonObject): OnePart | undefined {
  const { type, text, think, encrypted } = item;
  if (type === "text" && typeof text === "string") return { part: textPart(text), isLeftOut: false };
  if (type === "think" && typeof think === "string") {
    const signature = typeof encrypted === "string" ? { signature: encrypted } : {};
    return { part: { type: "thinking", text: think, ...signature }, isLeftOut: false };
  }
  const kind = MEDIA.find((one) => one === type);
  return kind === undefined ? undefined : mediaPart(kind, item[kind]);
}

function mediaPart(kind: (typeof MEDIA)[number], value: Json | undefined): OnePart | undefined {
  const url = isJsonObject(value) ? value["url"] : undefined;
  if (typeof url !== "string") return undefined;
  const [, mediaType, data] = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.=+-]+)*;base64,([\w+/=-]*)$/.exec(url) ?? [];
  if (kind === "image_url" && mediaType !== undefined && data !== undefined) {
    return { part: { type: "image", mediaType, data }, isLeftOut: false };
  }
  const what = kind.replace("_url", "");
  const address = url.startsWith("data:") ? (mediaType ?? "its content") : url.slice(0, LONGEST_ADDRESS);
  return { part: textPart(`[${what}: ${address}]`), isLeftOut: true };
}
