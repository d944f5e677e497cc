import { faultText } from "../files/look.ts";

/** Given, so that proxies are honoured in one place. */
export type Fetch = (url: string, options: RequestInit) => Promise<Response>;

export interface FetchedPage {
  /** Where it was found, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly kind: "html" | "text";
  readonly text: string;
}

interface Refusal {
  readonly refused: string;
}

const MOST_BYTES = 10_000_000;
const MOST_REDIRECTS = 10;
const textual =
  /^(text\/|application\/([\w.+-]*\+)?(json|xml|yaml|x-yaml|javascript|ecmascript|toml|x-sh|x-ndjson|jsonl|graphql|sql)\b|image\/svg)/;

/** Fetches a text from the web. Redirects are followed on the same host only: the person allowed that one. */
export async function fetchPage({
  url,
  fetch,
  signal,
}: {
  readonly url: string;
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
}): Promise<FetchedPage | Refusal> {
  let at = webAddress(url);
  try {
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      if ("refused" in at) return at;
      const response = await fetch(at.href, {
        redirect: "manual",
        signal,
        headers: { accept: "text/html, text/*, application/json, */*" },
      });
      const to = redirectOf(response, at);
      if (to === undefined) return await pageOf(at.href, response);
      await response.body?.cancel();
      if ("href" in to && !isSameHost(at, to)) {
        return {
          refused: `${at.href} redirects elsewhere. To follow it, call WebFetch with ${to.href}`,
        };
      }
      at = to;
    }
    return { refused: `${url} redirects more than ${MOST_REDIRECTS} times.` };
  } catch (error) {
    return { refused: `${url} could not be fetched: ${reasonOf(error).replace(/\.$/u, "")}.` };
  }
}

/** What may be fetched at all. */
export function webAddress(text: string, base?: URL): URL | Refusal {
  if (!URL.canParse(text, base?.href))
    return { refused: `${text} is no URL. Give one with http:// or https://.` };
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return { refused: `Only http and https can be fetched, not ${url.protocol}//.` };
  }
  if (url.username !== "" || url.password !== "")
    return { refused: "A URL with a user name or password is not fetched." };
  return url;
}

function redirectOf(response: Response, from: URL): URL | Refusal | undefined {
  const location = response.headers.get("location");
  if (response.status < 300 || response.status >= 400 || location === null) return undefined;
  return webAddress(location, from);
}

/** The change from http to https is not another host; the change back would show what was meant to be hidden. */
function isSameHost(from: URL, to: URL): boolean {
  const isDowngrade = from.protocol === "https:" && to.protocol === "http:";
  return from.hostname === to.hostname && from.port === to.port && !isDowngrade;
}

async function pageOf(url: string, response: Response): Promise<FetchedPage | Refusal> {
  const type = (response.headers.get("content-type") ?? "").toLowerCase();
  if (type !== "" && !textual.test(type) && !type.includes("html")) {
    await response.body?.cancel();
    return {
      refused: `${url} is no text but ${type}. Download it with a command, by Bash, if it is needed.`,
    };
  }
  const bytes = await bodyOf(response);
  if (bytes === undefined) return { refused: `${url} is larger than 10 MB.` };
  if (type === "" && bytes.includes(0)) return { refused: `${url} is a binary file.` };
  const text = decoded(bytes, type);
  const kind =
    type.includes("html") || (type === "" && /^\s*<(!doctype html|html)/i.test(text)) ? "html" : "text";
  return { url, status: response.status, kind, text };
}

/** Undefined where it is too large; then no more of it is read. */
async function bodyOf(response: Response): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read()) {
    size += piece.value.length;
    if (size > MOST_BYTES) {
      await reader?.cancel();
      return undefined;
    }
    pieces.push(piece.value);
  }
  return Buffer.concat(pieces);
}

function decoded(bytes: Buffer, type: string): string {
  const charset = /charset="?([\w-]+)/.exec(type)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // A name of a charset that nobody knows.
    return bytes.toString("utf8");
  }
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return faultText(cause instanceof Error && cause.message !== "" ? cause : error).replace(/\.$/u, "");
}
