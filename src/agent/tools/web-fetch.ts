import { Worker } from "node:worker_threads";
import { z } from "zod";
import { packagedFile } from "../../disk/packaged-file.ts";
import { type Remark, remark } from "../../record/error.ts";
import { faultOf } from "./files.ts";
import { descriptions } from "./generated/descriptions.ts";
import { firstCharacters, oneLine, plural } from "./text.ts";
import { defineTool, done, failed, interrupted, type Tool, type ToolResult, tolerating } from "./tool.ts";

const MAX_RESULT_CHARACTERS = 50_000;
const TIMEOUT_MS = 30_000;

const input = z.strictObject({
  url: z.string().min(1).describe("The URL, beginning with http:// or https://."),
});

export function webFetchTool({ fetch }: { readonly fetch: Fetch }): Tool {
  return defineTool<z.infer<typeof input>>({
    name: "WebFetch",
    description: descriptions.webFetch,
    // In other agents, a second model answers this prompt from the page. Here, the model reads the page itself.
    input: tolerating(["prompt"], input),
    reach: "reads",
    subjects: async ({ url }) => [{ kind: "url", url }],
    about: ({ url }) => oneLine(url),
    preview: async ({ url }) => {
      const address = webAddress(url);
      return "refused" in address ? address : undefined;
    },
    run: async ({ url }, { signal }) => {
      const late = AbortSignal.timeout(TIMEOUT_MS);
      const page = await fetchPage({ url, fetch, signal: AbortSignal.any([signal, late]) });
      if (signal.aborted) return interrupted();
      if (!("fault" in page)) return answer(page, { asked: url, signal });
      return failed(
        late.aborted
          ? `${url} did not send a complete response within ${TIMEOUT_MS / 1_000} seconds.`
          : page.fault,
      );
    },
  });
}

interface Asked {
  readonly asked: string;
  readonly signal: AbortSignal;
}

async function answer(page: FetchedPage, { asked, signal }: Asked): Promise<ToolResult> {
  const text = cut(page.kind === "html" ? await markdownOf(page.text, { signal }) : page.text);
  if (signal.aborted) return interrupted();
  if (page.status >= 400) return failed(`${page.url} returned HTTP ${page.status}.\n\n${text}`.trim());
  const from = page.url === new URL(asked).href ? "" : `[From ${page.url}]\n\n`;
  return done(`${from}${text === "" ? "(The page is empty.)" : text}`);
}

function cut(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= MAX_RESULT_CHARACTERS) return trimmed;
  const shown = firstCharacters(trimmed, MAX_RESULT_CHARACTERS);
  return `${shown}\n\n[... ${plural(trimmed.length - shown.length, "more character")} omitted]`;
}

/** The `fetch` function. The function is passed as a parameter, so that proxies are handled in one place. */
export type Fetch = (url: string, options: RequestInit) => Promise<Response>;

interface FetchedPage {
  /** The final address, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly kind: "html" | "text";
  readonly text: string;
}

/** Why a page could not be fetched, for example because it is not text. */
interface Unfetched {
  readonly fault: string;
}

const MAX_BYTES = 10_000_000;
const MAX_REDIRECTS = 10;
const textual =
  /^(text\/|application\/([\w.+-]*\+)?(json|xml|yaml|x-yaml|javascript|ecmascript|toml|x-sh|x-ndjson|jsonl|graphql|sql)\b|image\/svg)/;

/** Fetches a page of text. Follows redirects only on the same host, because the user allowed only that host. */
async function fetchPage({
  url,
  fetch,
  signal,
}: {
  readonly url: string;
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
}): Promise<FetchedPage | Unfetched> {
  let at = webAddress(url);
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      if ("refused" in at) return { fault: at.refused.why };
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
          fault: `${at.href} redirects elsewhere. To follow the redirect, call WebFetch with ${to.href}`,
        };
      }
      at = to;
    }
    return { fault: `${url} redirects more than ${MAX_REDIRECTS} times.` };
  } catch (error) {
    return { fault: `${url} could not be fetched: ${reasonOf(error).replace(/\.$/u, "")}.` };
  }
}

interface Refusal {
  readonly refused: Remark;
}

/** Returns the URL if it may be fetched, or the reason if it may not. */
function webAddress(text: string, base?: URL): URL | Refusal {
  if (!URL.canParse(text, base?.href)) return { refused: remark("not-a-url", { text }) };
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return { refused: remark("url-protocol", { protocol: url.protocol }) };
  }
  if (url.username !== "" || url.password !== "") return { refused: remark("url-with-login") };
  return url;
}

function redirectOf(response: Response, from: URL): URL | Refusal | undefined {
  const location = response.headers.get("location");
  if (response.status < 300 || response.status >= 400 || location === null) return undefined;
  return webAddress(location, from);
}

/**
 * Checks whether a redirect stays on the same host. A change from http to https is allowed, but not the reverse, which
 * would send previously encrypted traffic in clear text.
 */
function isSameHost(from: URL, to: URL): boolean {
  const isDowngrade = from.protocol === "https:" && to.protocol === "http:";
  return from.hostname === to.hostname && from.port === to.port && !isDowngrade;
}

async function pageOf(url: string, response: Response): Promise<FetchedPage | Unfetched> {
  const type = (response.headers.get("content-type") ?? "").toLowerCase();
  if (type !== "" && !textual.test(type) && !type.includes("html")) {
    await response.body?.cancel();
    return {
      fault: `${url} is not text: its type is ${type}. If you need it, download it with a Bash command.`,
    };
  }
  const bytes = await bodyOf(response);
  if (bytes === undefined) return { fault: `${url} is larger than 10 MB.` };
  if (type === "" && bytes.includes(0)) return { fault: `${url} is a binary file.` };
  const text = decoded(bytes, type);
  const kind =
    type.includes("html") || (type === "" && /^\s*<(!doctype html|html)/i.test(text)) ? "html" : "text";
  return { url, status: response.status, kind, text };
}

/** Reads the body. Returns undefined if the body is too large, without reading the rest of it. */
async function bodyOf(response: Response): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read()) {
    size += piece.value.length;
    if (size > MAX_BYTES) {
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
    // The charset is unknown.
    return bytes.toString("utf8");
  }
}

/** Returns the reason for an error. Uses the cause of the error, because the message `fetch failed` says nothing. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return faultOf(cause instanceof Error && cause.message !== "" ? cause : error).why;
}

/**
 * Maximum length of the HTML to convert. The time and memory that the conversion takes grow faster than the length of
 * the page, so converting more of it is not worthwhile.
 */
const MAX_HTML_CHARACTERS = 2_000_000;
const MAX_MS = 10_000;
const MAX_MEGABYTES = 512;

/**
 * Code for the conversion, which runs in a worker thread. A page can make the conversion take minutes or use all
 * memory, and nothing else could stop it. The code is a string, because a separate file would have a different path in
 * the source, the library and the bundle.
 */
const CONVERTER = `
const { parentPort, workerData } = require("node:worker_threads");
const Turndown = require(workerData.turndown);
const turndown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
turndown.remove(["script", "style", "noscript", "iframe", "template"]);
// Inline images are long, and the model could not see them.
turndown.addRule("pictures", {
  filter: "img",
  replacement: (_, node) => {
    const [source, words] = [node.getAttribute("src") || "", node.getAttribute("alt") || ""];
    return source === "" || source.startsWith("data:") ? words : "![" + words + "](" + source + ")";
  },
});
parentPort.postMessage(turndown.turndown(workerData.html));
`;

/**
 * Converts a page to Markdown, without the parts that only a browser needs. Returns plain text if the page cannot be
 * converted in time.
 */
export async function markdownOf(
  html: string,
  { signal, maxMs = MAX_MS }: { readonly signal: AbortSignal; readonly maxMs?: number },
): Promise<string> {
  const start = html.slice(0, MAX_HTML_CHARACTERS);
  const converted = await convert(start, { signal, maxMs });
  return (
    converted ??
    `[The page is too complex to convert to Markdown, so only its text is shown.]\n\n${wordsOf(start)}`
  );
}

async function convert(
  html: string,
  { signal, maxMs }: { readonly signal: AbortSignal; readonly maxMs: number },
): Promise<string | undefined> {
  const worker = new Worker(CONVERTER, {
    eval: true,
    execArgv: [],
    stdout: true,
    stderr: true,
    workerData: { html, turndown: packagedFile("turndown.cjs", "turndown") },
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
  });
  const stop = (): void => void worker.terminate();
  const timer = setTimeout(stop, maxMs);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await new Promise<string | undefined>((resolve) => {
      worker.once("message", resolve);
      // The page was nested too deeply, or the thread ran out of memory or was stopped.
      worker.once("error", () => resolve(undefined));
      worker.once("exit", () => resolve(undefined));
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}

/** Extracts the words of a page in a single pass, even if tags are never closed. */
function wordsOf(html: string): string {
  const lower = html.toLowerCase();
  const words: string[] = [];
  for (let at = 0; at < html.length; ) {
    const tag = html.indexOf("<", at);
    words.push(html.slice(at, tag === -1 ? html.length : tag));
    if (tag === -1) break;
    const [hidden] = /^<(script|style)\b/u.exec(lower.slice(tag, tag + 8)) ?? [];
    const from = hidden === undefined ? tag : lower.indexOf(`</${hidden.slice(1)}`, tag);
    const end = from === -1 ? -1 : html.indexOf(">", from);
    if (end === -1) break;
    at = end + 1;
  }
  const lines = words
    .join(" ")
    .replaceAll(/[ \t]+/gu, " ")
    .split("\n");
  return lines.flatMap((line) => line.trim() || []).join("\n");
}
