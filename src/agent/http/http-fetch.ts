import http from "node:http";
import https from "node:https";
import { ACCEPTED_ENCODINGS, bodyStream } from "./body.ts";
import { Connections, connectTimeout } from "./connections.ts";
import { HttpError } from "./http-error.ts";
import { type Environment, routeTo } from "./route.ts";

/** How long to wait, in milliseconds. */
export interface HttpLimits {
  /** For a connection. */
  readonly connectMs: number;
  /** For the next bytes of an answer. */
  readonly silenceMs: number;
  /** For the head of the answer; by default as long as for the next bytes. */
  readonly firstByteMs?: number;
}

/** A model may think for long without a word, and a tool of an MCP server work. */
export const DEFAULT_LIMITS = { connectMs: 5_000, silenceMs: 300_000 } as const;

const NO_BODY = new Set([204, 205, 304]);

/** Ports of other protocols, as browsers block them: a request to one could be taken for a command. */
const BLOCKED_PORTS = new Set(
  (
    "0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137 " +
    "139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 " +
    "1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080"
  ).split(" "),
);

/**
 * The `fetch` of everything that speaks to a server: of models, pages and MCP. It goes through the proxy of the environment, never
 * follows a redirect (the answer with the status 3xx is returned), and holds to limits of time and size. Node's own `fetch` does
 * none of that, and an answer can end the process through an assertion of the undici in it.
 */
export function httpFetch(environment: Environment, limits: HttpLimits): typeof fetch {
  const connections = new Connections(limits.connectMs);
  const send = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = addressOf(input);
    const { signal } = init;
    signal?.throwIfAborted();
    const agent = connections.agentFor(url, routeTo(url, environment));
    const request = (url.protocol === "https:" ? https : http).request(url, {
      method: init.method ?? "GET",
      headers: headersOf(init),
      agent,
    });
    let stoppable: { destroy(error: Error): unknown } = request;
    const stop = (): void => void stoppable.destroy(asError(signal?.reason));
    signal?.addEventListener("abort", stop, { once: true });
    request.once("close", () => signal?.removeEventListener("abort", stop));
    request.end(bytesOf(init.body));
    const message = await headOf(request, limits);
    stoppable = message;
    return responseOf(message, limits);
  };
  return send as typeof fetch;
}

function addressOf(input: string | URL | Request): URL {
  if (input instanceof Request) throw invalid("A request is given as an address and options.");
  const url = new URL(input);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw invalid("Only http and https are known.");
  if (url.username !== "" || url.password !== "") throw invalid("The address has a password in it.");
  if (BLOCKED_PORTS.has(url.port)) throw invalid("Its port belongs to another protocol.");
  return url;
}

function headersOf(init: RequestInit): Record<string, string> {
  const given = Object.fromEntries(new Headers(init.headers));
  return { accept: "*/*", "user-agent": "worldline", "accept-encoding": ACCEPTED_ENCODINGS, ...given };
}

function bytesOf(body: RequestInit["body"]): string | Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw invalid("A body is text or bytes.");
}

/** The head of the answer. Whatever is informational or comes drop by drop, its time runs from the beginning. */
function headOf(request: http.ClientRequest, limits: HttpLimits): Promise<http.IncomingMessage> {
  const { connectMs, silenceMs, firstByteMs = silenceMs } = limits;
  return new Promise((resolve, reject) => {
    let timer = setTimeout(() => request.destroy(connectTimeout()), connectMs);
    const connected = (): void => {
      clearTimeout(timer);
      const late = new HttpError("HTTP_FIRST_BYTE_TIMEOUT", "There was no answer in time.");
      timer = setTimeout(() => request.destroy(late), firstByteMs);
    };
    request.once("socket", (socket) => {
      if (!socket.connecting) connected();
      else socket.once("encrypted" in socket ? "secureConnect" : "connect", connected);
    });
    request.once("response", (message) => {
      clearTimeout(timer);
      // Without anybody who reads it, a connection that breaks would end the process.
      message.on("error", () => undefined);
      resolve(message);
    });
    request.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    request.once("close", () => {
      clearTimeout(timer);
      reject(new HttpError("HTTP_NO_ANSWER", "The connection was closed without an answer."));
    });
  });
}

function responseOf(message: http.IncomingMessage, limits: HttpLimits): Response {
  const { statusCode: status = 0, statusMessage = "", rawHeaders } = message;
  try {
    if (status < 200 || status > 599) throw new HttpError("HTTP_INVALID_STATUS", `Its status is ${status}.`);
    const headers = new Headers();
    for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
      headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
    }
    const head = { status, statusText: statusMessage.replaceAll(/[^\x20-\x7e]/gu, "?"), headers };
    if (!NO_BODY.has(status)) return new Response(bodyStream(message, limits.silenceMs), head);
    message.resume();
    return new Response(null, head);
  } catch (error) {
    message.destroy();
    throw error;
  }
}

function invalid(message: string): HttpError {
  return new HttpError("HTTP_INVALID_REQUEST", message);
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new DOMException("This operation was aborted", "AbortError");
}
