import http from "node:http";
import https from "node:https";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import { remark } from "../record/error.ts";
import { ACCEPTED_ENCODINGS, bodyStream, HttpError, UnusableResponse } from "./http-body.ts";

/** Time limits in milliseconds. */
export interface HttpLimits {
  /** Time limit for connecting. */
  readonly connectMs: number;
  /** Longest time to wait for the next bytes of a response. */
  readonly silenceMs: number;
  /** Longest time to wait for the head of the response. The default is `silenceMs`. */
  readonly firstByteMs?: number;
}

/**
 * The silence limit is long, because a model may think for minutes without output, and an MCP tool may take just as
 * long.
 */
export const DEFAULT_LIMITS = { connectMs: 5_000, silenceMs: 300_000 } as const;

const NO_BODY = new Set([204, 205, 304]);

/**
 * Ports used by other protocols, whose servers could mistake an HTTP request for a command. Browsers block these ports
 * too.
 */
const BLOCKED_PORTS = new Set(
  (
    "0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137 " +
    "139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 " +
    "1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080"
  ).split(" "),
);

/**
 * Returns the `fetch` used for all requests: to models, web pages and MCP servers. This `fetch` uses the proxy from the
 * environment, never follows a redirect (it returns the 3xx response), and enforces time and size limits. Node's own
 * `fetch` does none of this, and a response can trigger an assertion in its bundled undici, which ends the process.
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
  if (input instanceof Request) throw invalid("Request objects are not supported. Pass a URL and options.");
  const url = new URL(input);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw invalid("Only http and https URLs are supported.");
  if (url.username !== "" || url.password !== "")
    throw invalid("The URL must not contain a user name or password.");
  if (BLOCKED_PORTS.has(url.port)) throw invalid("The URL's port is reserved for another protocol.");
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
  throw invalid("The body must be text or bytes.");
}

/**
 * Waits for the head of the response. The time limit counts from the start of the request, even if the server is
 * sending slowly.
 */
function headOf(request: http.ClientRequest, limits: HttpLimits): Promise<http.IncomingMessage> {
  const { connectMs, silenceMs, firstByteMs = silenceMs } = limits;
  return new Promise((resolve, reject) => {
    let timer = setTimeout(() => request.destroy(connectTimeout()), connectMs);
    const connected = (): void => {
      clearTimeout(timer);
      const late = new HttpError("HTTP_FIRST_BYTE_TIMEOUT", "Timed out waiting for a response.");
      timer = setTimeout(() => request.destroy(late), firstByteMs);
    };
    request.once("socket", (socket) => {
      if (!socket.connecting) connected();
      else socket.once("encrypted" in socket ? "secureConnect" : "connect", connected);
    });
    request.once("response", (message) => {
      clearTimeout(timer);
      // Without a listener, a broken connection would end the process.
      message.on("error", () => undefined);
      resolve(message);
    });
    request.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    request.once("close", () => {
      clearTimeout(timer);
      reject(new HttpError("HTTP_NO_ANSWER", "The connection was closed without a response."));
    });
  });
}

function responseOf(message: http.IncomingMessage, limits: HttpLimits): Response {
  const { statusCode: status = 0, statusMessage = "", rawHeaders } = message;
  try {
    if (status < 200 || status > 599) {
      throw new UnusableResponse("HTTP_INVALID_STATUS", remark("http-status-invalid", { status }));
    }
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

/** Environment variables by name, from `process.env` or from a test. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How a request reaches an address: directly or through a proxy. */
export type Route =
  | { readonly via: "direct" }
  /** `variable` names the environment variable that the proxy came from. */
  | { readonly via: "proxy"; readonly proxy: string; readonly variable: string };

const DIRECT: Route = { via: "direct" };
/**
 * The proxy variables, in the order used by curl and undici. An https URL uses the http proxy if no https proxy is set.
 */
const VARIABLES = {
  "https:": ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"],
  "http:": ["http_proxy", "HTTP_PROXY"],
} as const;

/** Returns the route to a URL. Pure, so that an error message can say which route was tried. */
export function routeTo(url: URL, environment: Environment): Route {
  if (isLoopback(url.hostname) || isExempt(url, environment)) return DIRECT;
  const variables = url.protocol === "https:" ? VARIABLES["https:"] : VARIABLES["http:"];
  for (const variable of variables) {
    const proxy = environment[variable]?.trim();
    if (proxy) return { via: "proxy", proxy: proxy.includes("://") ? proxy : `http://${proxy}`, variable };
  }
  return DIRECT;
}

/** Returns an address in a form that may be shown and logged: without its user name and password. */
export function shownAddress(address: string): string {
  // An invalid address may still contain a password, with a slash in it.
  if (!URL.canParse(address)) return address.replace(/^([^/]*\/\/)?.*@/s, "$1");
  const url = new URL(address);
  if (url.username === "" && url.password === "") return address;
  url.username = "";
  url.password = "";
  return address.endsWith("/") ? url.href : url.href.replace(/\/$/, "");
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(hostname);
}

function isExempt(url: URL, environment: Environment): boolean {
  const list = environment["no_proxy"] ?? environment["NO_PROXY"] ?? "";
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => matches(entry.toLowerCase(), url.hostname.toLowerCase(), port));
}

/**
 * Matches a host against an entry: "*", "host", ".domain" or "*.domain", each with or without ":port". A domain without
 * a leading dot also covers its subdomains.
 */
function matches(entry: string, hostname: string, port: string): boolean {
  if (entry === "*") return true;
  const [, host = entry, ofPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (ofPort !== undefined && ofPort !== port) return false;
  const domain = host.replace(/^\*?\./, "");
  return hostname === domain || hostname.endsWith(`.${domain}`);
}

/**
 * How long an idle connection is kept. Common servers close an idle connection after 5 seconds, so the limit is
 * shorter.
 */
const IDLE_MS = 4_000;

type Done = (error: Error | null, socket?: Duplex) => void;
type Target = tls.ConnectionOptions & { readonly host: string; readonly port: number };

/** Keeps connections for later requests: one pool for each proxy, and one for direct connections. */
class Connections {
  readonly #agents = new Map<string, http.Agent>();
  readonly #connectMs: number;

  constructor(connectMs: number) {
    this.#connectMs = connectMs;
  }

  /**
   * Returns the connection pool for a request. Throws HTTP_PROXY_INVALID if the variable does not name an HTTP proxy.
   */
  agentFor(url: URL, route: Route): http.Agent {
    const key = `${url.protocol} ${route.via === "proxy" ? route.proxy : ""}`;
    const agent = this.#agents.get(key) ?? newAgent(url, route, this.#connectMs);
    this.#agents.set(key, agent);
    return agent;
  }
}

function newAgent({ protocol }: URL, route: Route, connectMs: number): http.Agent {
  const agent = new (protocol === "https:" ? https.Agent : http.Agent)({ keepAlive: true, timeout: IDLE_MS });
  if (route.via === "direct") return agent;
  const proxy = proxyOf(route.proxy);
  // Node's agents accept a connection that is provided later, even though their type does not say so.
  const createConnection = (target: Target, done: Done): void => {
    const connection = protocol === "https:" ? secured(target, connectMs, done) : done;
    openTunnel({ proxy, target, connectMs }, connection);
  };
  return Object.assign(agent, { createConnection });
}

function proxyOf(address: string): URL {
  const proxy = URL.canParse(address) ? new URL(address) : undefined;
  if (proxy?.protocol === "http:" || proxy?.protocol === "https:") return proxy;
  throw new HttpError("HTTP_PROXY_INVALID", "The proxy URL must begin with http:// or https://.");
}

/** Opens a tunnel even for addresses without TLS, so that requests to a proxy always look the same. */
function openTunnel(
  {
    proxy,
    target: { host, port },
    connectMs,
  }: { readonly proxy: URL; readonly target: Target; readonly connectMs: number },
  done: Done,
): void {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const login = basicLogin(proxy);
  const request = (proxy.protocol === "https:" ? https : http).request(proxy, {
    method: "CONNECT",
    path: authority,
    agent: false,
    headers: { host: authority, ...(login === undefined ? {} : { "proxy-authorization": login }) },
  });
  request.setTimeout(connectMs, () => request.destroy(connectTimeout()));
  request.once("error", (error) => done(error));
  request.once("response", (answer) => request.destroy(refusal(answer)));
  request.once("connect", (answer, socket, head) => {
    // From here on, connection errors are not request errors.
    socket.on("error", () => undefined);
    socket.setTimeout(0);
    const { statusCode = 0 } = answer;
    if (statusCode < 200 || statusCode > 299) {
      socket.destroy();
      done(refusal(answer));
      return;
    }
    if (head.length > 0) socket.unshift(head);
    done(null, socket);
  });
  request.end();
}

function refusal({ statusCode = 0 }: http.IncomingMessage): Error {
  const error = new HttpError("HTTP_PROXY_REFUSED", `The proxy responded with status ${statusCode}.`);
  return Object.assign(error, { proxyStatus: statusCode });
}

/** Performs the TLS handshake with the target through the given tunnel. */
function secured(target: Target, connectMs: number, done: Done): Done {
  return (error, tunnel) => {
    if (tunnel === undefined) {
      done(error);
      return;
    }
    const socket = tls.connect({ ...target, socket: tunnel });
    socket.setTimeout(connectMs, () => socket.destroy(connectTimeout()));
    const refused = (reason: Error): void => done(reason);
    socket.once("error", refused);
    socket.once("secureConnect", () => {
      socket.off("error", refused);
      socket.setTimeout(0);
      done(null, socket);
    });
  };
}

function connectTimeout(): HttpError {
  return new HttpError("HTTP_CONNECT_TIMEOUT", "Timed out while connecting.");
}

/** Returns the header with the user name and password of an address, or undefined if it has none. */
export function basicLogin({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64")}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A literal percent sign.
    return text;
  }
}
