import type { Remark } from "../../../record/error.ts";
import { UnusableResponse } from "../../http-body.ts";

/** Maximum number of characters quoted from a response. */
const QUOTED = 300;
/** Maximum length of a chain of causes. A longer chain must be circular. */
const CHAIN = 8;

/** An HTTP response that is not a model's reply. */
export interface HttpAnswer {
  readonly status: number;
  /** The provider's message, shortened, or "" if the provider sent none. */
  readonly words: string;
  /** The response headers by lowercase name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** One error in a chain of causes, with the fields that our libraries set. */
export interface Link {
  readonly code?: string;
  readonly message: string;
  /** What was wrong with a response that was read but could not be used. */
  readonly fault?: Remark;
  readonly status?: number;
  /** The HTTP status that a proxy returned when it refused the connection. */
  readonly proxyStatus?: number;
}

type Fields = Readonly<Record<string, unknown>>;

export function chainOf(error: unknown): readonly Link[] {
  return objectsOf(error).map((fields) => {
    const { code, message, statusCode, proxyStatus } = fields;
    return {
      ...(typeof code === "string" ? { code } : {}),
      message: typeof message === "string" ? message : "",
      ...(fields instanceof UnusableResponse ? { fault: fields.fault } : {}),
      ...(typeof statusCode === "number" ? { status: statusCode } : {}),
      ...(typeof proxyStatus === "number" ? { proxyStatus } : {}),
    };
  });
}

/** Returns the HTTP response that an error contains, if the response has an error status. */
export function answerOf(error: unknown): HttpAnswer | undefined {
  for (const fields of objectsOf(error)) {
    const status = statusIn(fields);
    if (status === undefined) continue;
    const { responseBody, message, responseHeaders } = fields;
    const body = typeof responseBody === "string" ? responseBody : "";
    const words = wordsOfBody(body) || (typeof message === "string" ? shortened(message) : "");
    return { status, words, headers: lowerCased(responseHeaders) };
  }
  return undefined;
}

/**
 * Returns the HTTP status in an error. Some gateways respond with 200 and put the actual status into the `code` field
 * of an error in the stream.
 */
function statusIn({ statusCode, code }: Fields): number | undefined {
  return [statusCode, code].find(
    (value): value is number => typeof value === "number" && value >= 400 && value < 600,
  );
}

/** Returns an error's message, with the type and code of a provider's error event. */
export function messageOf(error: unknown): string {
  if (typeof error === "string") return shortened(error);
  const [fields] = objectsOf(error);
  if (fields === undefined) return "";
  const kinds = fields instanceof Error ? [] : [fields["type"], fields["code"]];
  const words = [...kinds, fields["message"]].filter((word) => typeof word === "string" && word !== "");
  return shortened([...new Set(words)].join(": "));
}

/** Returns the first error of this class in the chain. */
export function causeOf<T>(error: unknown, kind: abstract new (...given: never[]) => T): T | undefined {
  return objectsOf(error).find((each): each is Fields & T => each instanceof kind);
}

function objectsOf(error: unknown): Fields[] {
  const found: Fields[] = [];
  let next = error;
  while (typeof next === "object" && next !== null && found.length < CHAIN) {
    const fields = next as Fields;
    found.push(fields);
    next = fields["cause"] ?? fields["lastError"];
  }
  return found;
}

/**
 * Returns the message in an error response. Providers send `{ error: { type, code, message } }`, `{ error: "..." }`, `{
 * message }`, or an HTML page.
 */
function wordsOfBody(body: string): string {
  try {
    return shortened(wordsOfJson(JSON.parse(body)));
  } catch {
    const isPage = /<html|<!doctype/i.test(body);
    return shortened(isPage ? (/<title>([^<]*)/i.exec(body)?.[1] ?? "") : body);
  }
}

function wordsOfJson(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  const fields = value as Fields;
  if (fields["error"] !== undefined && fields["error"] !== null) return wordsOfJson(fields["error"]);
  const text = firstText(fields["message"], fields["detail"]);
  const kind = firstText(fields["code"], fields["type"]);
  if (text === "") return kind;
  return kind === "" || kind === "error" ? text : `${text} (${kind})`;
}

function firstText(...values: readonly unknown[]): string {
  return values.find((value): value is string => typeof value === "string" && value !== "") ?? "";
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > QUOTED ? `${line.slice(0, QUOTED)}…` : line;
}

function lowerCased(headers: unknown): Record<string, string> {
  if (typeof headers !== "object" || headers === null) return {};
  const pairs = Object.entries(headers).filter(
    (pair): pair is [string, string] => typeof pair[1] === "string",
  );
  return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
}
