import { basicLogin } from "../http/connections.ts";
import { type HttpLimits, httpFetch } from "../http/http-fetch.ts";
import { type Environment, shownAddress } from "../http/route.ts";

/** What a model's server never sends: pages for people, pictures, downloads. Some send their streams as plain text. */
const NO_REPLY =
  /^(text\/(html|xml|css)|application\/(xhtml\+xml|xml|pdf|zip)|image\/|audio\/|video\/|font\/)/iu;

/** The address leads to something that is not a model's server, such as a login page or a website. */
export class NoModelServer extends Error {
  readonly code = "NO_MODEL_SERVER";
  readonly contentType: string;

  constructor(contentType: string) {
    super(`It answered with ${contentType}.`);
    this.contentType = contentType;
  }
}

/** The server sends requests, with the key and the conversation in them, to another address. */
export class Redirected extends Error {
  readonly code = "REDIRECTED";
  readonly status: number;
  /** Without a password and a query; undefined where it names no address. */
  readonly target: URL | undefined;

  constructor(status: number, target: URL | undefined) {
    super(`It redirects to ${target?.host ?? "nowhere"}.`);
    this.status = status;
    this.target = target;
  }
}

export interface ModelServer {
  /** Without a name and a password. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
}

/**
 * How a model's server is spoken to. A redirect is an error and never followed, not even on the same host: the request holds the
 * key and the conversation, and the person chose the address. A page is an error too, as it would be taken for a stream that was
 * cut. A name and a password in the address are shown as a login, unless the request has a key to show.
 */
export function modelServer(
  baseUrl: string,
  { environment, limits }: { readonly environment: Environment; readonly limits: HttpLimits },
): ModelServer {
  const send = httpFetch(environment, limits);
  const login = basicLogin(new URL(baseUrl));
  const ask = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    const isKeyShown = /^\S+\s+\S/.test(headers.get("authorization") ?? "");
    if (login !== undefined && !isKeyShown) headers.set("authorization", login);
    return onlyReplies(await send(input, { ...init, headers }), input);
  };
  return { baseUrl: shownAddress(baseUrl), fetch: ask as typeof fetch };
}

async function onlyReplies(response: Response, asked: string | URL | Request): Promise<Response> {
  const { status, headers, ok, body } = response;
  if (status >= 300 && status < 400) {
    await body?.cancel();
    throw new Redirected(status, targetOf(headers.get("location"), String(asked)));
  }
  const [contentType = ""] = (headers.get("content-type") ?? "").split(";");
  if (!ok || !NO_REPLY.test(contentType)) return response;
  await body?.cancel();
  throw new NoModelServer(contentType.trim());
}

function targetOf(location: string | null, asked: string): URL | undefined {
  if (location === null || location === "" || !URL.canParse(location, asked)) return undefined;
  const url = new URL(location, asked);
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  return isWeb ? new URL(url.origin + url.pathname) : undefined;
}
