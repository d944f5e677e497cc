import type { Dispatcher } from "undici";
import { type Environment, type Route, routeTo, shownAddress } from "./route.ts";

/** How long to wait, in milliseconds. */
export interface Patience {
  /** For a connection. */
  readonly connectMs: number;
  /** For the next bytes of an answer. */
  readonly silenceMs: number;
  /** For the first ones; by default as long as for the next. */
  readonly firstByteMs?: number;
}

export const DEFAULT_PATIENCE: Patience = { connectMs: 5_000, silenceMs: 120_000 };

/** The `fetch` of all that speaks to models: Node's own knows no proxies, and waits for minutes. */
export function proxiedFetch(environment: Environment, patience: Patience): typeof fetch {
  const dispatchers = new Map<string, Dispatcher>();
  const proxied = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const undici = await import("undici");
    const url = new URL(input instanceof Request ? input.url : input);
    const route = routeTo(url, environment);
    const key = route.via === "direct" ? "direct" : route.proxy;
    const dispatcher = dispatchers.get(key) ?? dispatcherFor(undici, route, patience);
    dispatchers.set(key, dispatcher);
    // Two declarations of one standard: undici's own, and the one that Node's types took from an older undici.
    const options = { ...init, dispatcher } as unknown as RequestInit;
    return (undici.fetch as unknown as typeof fetch)(url, options);
  };
  return proxied as typeof fetch;
}

/**
 * An address without the name and the password in it, and a `fetch` that shows them instead, unless it is given a key to show:
 * Node's own refuses such an address, and errors would quote it.
 */
export function signedIn(
  baseUrl: string,
  fetch: typeof globalThis.fetch,
): { readonly baseUrl: string; readonly fetch: typeof globalThis.fetch } {
  const { username, password } = new URL(baseUrl);
  if (username === "" && password === "") return { baseUrl, fetch };
  const pair = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString("base64");
  const signing = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers);
    const isKeyShown = /^\S+\s+\S/.test(headers.get("authorization") ?? "");
    if (!isKeyShown) headers.set("authorization", `Basic ${pair}`);
    return fetch(input, { ...init, headers: Object.fromEntries(headers) });
  };
  return { baseUrl: shownAddress(baseUrl), fetch: signing as typeof globalThis.fetch };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Somebody wrote a percent sign and meant it.
    return text;
  }
}

function dispatcherFor(undici: typeof import("undici"), route: Route, patience: Patience): Dispatcher {
  const { connectMs, silenceMs, firstByteMs = silenceMs } = patience;
  const timeouts = { headersTimeout: firstByteMs, bodyTimeout: silenceMs };
  const connect = { timeout: connectMs };
  if (route.via === "direct") return new undici.Agent({ ...timeouts, connect });
  const { proxy } = route;
  return new undici.ProxyAgent({ ...timeouts, uri: proxy, proxyTls: connect, requestTls: connect });
}
