import http from "node:http";
import https from "node:https";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import { HttpError } from "./http-error.ts";
import type { Route } from "./route.ts";

/** Shorter than the 5 seconds after which common servers close an idle connection. */
const IDLE_MS = 4_000;

type Done = (error: Error | null, socket?: Duplex) => void;
type Target = tls.ConnectionOptions & { readonly host: string; readonly port: number };

/** Keeps connections for later requests: one pool for each proxy, and one for direct connections. */
export class Connections {
  readonly #agents = new Map<string, http.Agent>();
  readonly #connectMs: number;

  constructor(connectMs: number) {
    this.#connectMs = connectMs;
  }

  /** Throws HTTP_PROXY_INVALID where the variable does not name a proxy for HTTP. */
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
  // Node's agents take a connection that comes later; their type does not say so.
  const createConnection = (target: Target, done: Done): void => {
    const connection = protocol === "https:" ? secured(target, connectMs, done) : done;
    openTunnel({ proxy, target, connectMs }, connection);
  };
  return Object.assign(agent, { createConnection });
}

function proxyOf(address: string): URL {
  const proxy = URL.canParse(address) ? new URL(address) : undefined;
  if (proxy?.protocol === "http:" || proxy?.protocol === "https:") return proxy;
  throw new HttpError("HTTP_PROXY_INVALID", "The proxy's address does not begin with http:// or https://.");
}

interface Tunnel {
  readonly proxy: URL;
  readonly target: Target;
  readonly connectMs: number;
}

/** A tunnel also to addresses without TLS, so that a proxy is asked for a host in one way only. */
function openTunnel({ proxy, target: { host, port }, connectMs }: Tunnel, done: Done): void {
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
    // From here on an error of the connection is no longer one of the request's.
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
  const error = new HttpError("HTTP_PROXY_REFUSED", `The proxy answered with status ${statusCode}.`);
  return Object.assign(error, { proxyStatus: statusCode });
}

/** Does TLS with the target, through the tunnel that it is given. */
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

export function connectTimeout(): HttpError {
  return new HttpError("HTTP_CONNECT_TIMEOUT", "There was no connection in time.");
}

/** The header that shows the name and the password of an address; undefined where it has none. */
export function basicLogin({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  return `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64")}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that was meant as one.
    return text;
  }
}
