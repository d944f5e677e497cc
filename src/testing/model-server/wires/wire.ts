import type { Json, JsonObject } from "../../../record/parts.ts";
import type { NormalMessage, TokenCounts, Wire } from "../script.ts";

/** How one wire format reads requests and writes replies. */
export interface WireFormat {
  readonly wire: Wire;
  readonly contentType: string;
  /** Reads what it can: whether the request is valid is asked apart. */
  read(body: JsonObject): ReadRequest;
  /** What is wrong with the request, the first thing first. */
  problems(body: JsonObject): Iterable<string>;
  /** The reply as a stream. */
  frames(reply: SettledReply): readonly Frame[];
  /** The reply to a client that asked for no stream. */
  whole(reply: SettledReply): Json;
  error(status: number, message: string): Json;
  /** An error in the middle of a stream. */
  errorFrame(message: string): string;
}

export interface ReadRequest {
  readonly model: string;
  readonly system: string;
  readonly messages: readonly NormalMessage[];
  readonly tools: readonly string[];
  readonly blocks: readonly CacheBlock[];
  readonly answer: "stream" | "whole";
}

/** A stretch of a request that the cache takes or leaves as one. */
export interface CacheBlock {
  readonly text: string;
  readonly mark: "marked" | "plain";
}

/** Bytes that are sent at once. "end" frames are those that a stream that ends early lacks. */
export interface Frame {
  readonly kind: "start" | "delta" | "body" | "end";
  readonly bytes: string;
}

export type SettledPart =
  | { readonly type: "thinking"; readonly text: string; readonly signature: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly id: string; readonly name: string; readonly text: string };

/** A scripted reply with everything decided that the script left open. */
export interface SettledReply {
  readonly id: string;
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly parts: readonly SettledPart[];
  readonly stop: "end" | "calls" | "length" | "content-filter";
  readonly usage: TokenCounts;
}

export function inputOf(usage: TokenCounts): number {
  return usage.uncached + usage.read + usage.written;
}

/** Two pieces at least, where there are two characters; never through the middle of one. */
export function piecesOf(text: string): readonly string[] {
  const characters = Array.from(text);
  const size = Math.max(1, Math.ceil(characters.length / Math.min(24, Math.max(2, characters.length / 60))));
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(""));
  return pieces;
}
