import { createHash } from "node:crypto";
import { isJsonObject, type Json, type JsonObject } from "../../../record/parts.ts";
import type { NormalCall, NormalMessage, NormalResult, TokenCounts, Wire } from "../script.ts";

/** Reads requests and writes replies in one wire format. */
export interface WireFormat {
  readonly wire: Wire;
  readonly contentType: string;
  /** Reads as much of the request as possible. `problems` checks whether the request is valid. */
  read(body: JsonObject): ReadRequest;
  /** Yields the problems with the request, in order. */
  problems(body: JsonObject): Iterable<string>;
  /** Encodes the reply as a stream. */
  frames(reply: SettledReply): readonly Frame[];
  /** Encodes the reply for a client that did not request a stream. */
  whole(reply: SettledReply): Json;
  error(status: number, message: string): Json;
  /** Encodes an error in the middle of a stream. */
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

/** A part of a request that is cached either as a whole or not at all. */
export interface CacheBlock {
  readonly text: string;
  readonly mark: "marked" | "plain";
}

/** Bytes that are sent together. A stream that ends early does not have "end" frames. */
export interface Frame {
  readonly kind: "start" | "delta" | "body" | "end";
  readonly bytes: string;
}

export type SettledPart =
  | { readonly type: "thinking"; readonly text: string; readonly signature: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly id: string; readonly name: string; readonly text: string };

/** A scripted reply, with everything that the script did not specify filled in. */
export interface SettledReply {
  readonly id: string;
  readonly model: string;
  /** The creation time, in seconds since 1970. */
  readonly created: number;
  readonly parts: readonly SettledPart[];
  readonly stop: "end" | "calls" | "length" | "content-filter";
  readonly usage: TokenCounts;
}

export function inputOf(usage: TokenCounts): number {
  return usage.uncached + usage.read + usage.written;
}

/** Splits a string into pieces, at least two if the text has two or more characters. Never splits a character. */
export function piecesOf(text: string): readonly string[] {
  const characters = Array.from(text);
  const size = Math.max(1, Math.ceil(characters.length / Math.min(24, Math.max(2, characters.length / 60))));
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(""));
  return pieces;
}

/** A piece of a conversation. Consecutive pieces with the same role are joined into one message. */
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

/** Returns content as blocks, even if it was given as a string. */
export function blocksOf(content: Json | undefined): readonly JsonObject[] {
  if (typeof content !== "string") return objectsOf(content);
  return [{ type: "text", text: content }];
}

/** Returns the text in content, regardless of the types of its blocks. */
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

/** Joins pieces into a message. All pieces must have the same role. */
function messageOf(pieces: readonly Piece[]): NormalMessage {
  return {
    role: pieces[0]?.role ?? "user",
    text: pieces.flatMap(({ text }) => text || []).join("\n"),
    calls: pieces.flatMap(({ call }) => call ?? []),
    results: pieces.flatMap(({ result }) => result ?? []),
    images: pieces.reduce((sum, { images }) => sum + (images ?? 0), 0),
  };
}

/** Parses JSON. Returns undefined if the text is not JSON. */
export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/**
 * Returns a block in the form that the cache compares. Leaves out marks, because the model does not read them. Replaces
 * an image in base64 with its hash, padded to 1,500 tokens. Otherwise, the image would be counted by the size of its
 * file.
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

/** Returns the first problem. The generator computes further problems only on demand. */
export function firstOf(problems: Iterable<string>): string | undefined {
  for (const problem of problems) return problem;
  return undefined;
}

const codes: Readonly<Record<number, string>> = {
  401: "invalid_api_key",
  404: "model_not_found",
  429: "rate_limit_exceeded",
};

/** Returns the error response for both of OpenAI's wire formats. */
export function openaiError(status: number, message: string): JsonObject {
  const code = /too long/.test(message) ? "context_length_exceeded" : (codes[status] ?? null);
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  return { error: { message, type, param: null, code } };
}
