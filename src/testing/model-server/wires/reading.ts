import { createHash } from "node:crypto";
import { isJsonObject, type Json, type JsonObject } from "../../../record/parts.ts";
import type { NormalCall, NormalMessage, NormalResult } from "../script.ts";

/** A piece of a conversation, before pieces of one role that follow each other become one message. */
export interface Piece {
  readonly role: NormalMessage["role"];
  readonly text?: string;
  readonly call?: NormalCall;
  readonly result?: NormalResult;
  readonly images?: number;
}

export function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function stringOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Content is a string or a list of blocks; here it is always blocks. */
export function blocksOf(content: Json | undefined): readonly JsonObject[] {
  if (typeof content !== "string") return objectsOf(content);
  return [{ type: "text", text: content }];
}

/** The text of content, whatever its blocks are called. */
export function textOfContent(content: Json | undefined): string {
  return blocksOf(content)
    .flatMap((block) => (typeof block["text"] === "string" ? [block["text"]] : []))
    .join("\n");
}

export function imagesIn(content: Json | undefined): number {
  return blocksOf(content).filter((block) => /image/.test(stringOf(block["type"]))).length;
}

export function joinPieces(pieces: readonly Piece[]): readonly NormalMessage[] {
  const groups: Piece[][] = [];
  for (const piece of pieces) {
    const last = groups.at(-1);
    if (last?.[0]?.role === piece.role) last.push(piece);
    else groups.push([piece]);
  }
  return groups.map(messageOf);
}

/** All pieces have the role of the first. */
function messageOf(pieces: readonly Piece[]): NormalMessage {
  return {
    role: pieces[0]?.role ?? "user",
    text: pieces.flatMap(({ text }) => text || []).join("\n"),
    calls: pieces.flatMap(({ call }) => call ?? []),
    results: pieces.flatMap(({ result }) => result ?? []),
    images: pieces.reduce((sum, { images }) => sum + (images ?? 0), 0),
  };
}

/** Undefined when it is not JSON. */
export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/**
 * The bytes of a block as the cache compares them. Marks are no part of what the model reads, and base64 would
 * count an image's tokens by its file's size: it stands as its hash, stretched to 1,500 tokens.
 */
export function canonical(value: Json): string {
  return JSON.stringify(value, (key, each: unknown) => {
    if (key === "cache_control") return undefined;
    return typeof each === "string" && isImageData(key, each) ? imageStandIn(each) : each;
  });
}

function isImageData(key: string, value: string): boolean {
  return (key === "data" && value.length > 100) || /^data:image\//.test(value);
}

function imageStandIn(data: string): string {
  return createHash("sha256").update(data).digest("hex").repeat(94).slice(0, 6000);
}

/** The first of what is wrong; a generator says the rest only if it is asked. */
export function firstOf(problems: Iterable<string>): string | undefined {
  for (const problem of problems) return problem;
  return undefined;
}
