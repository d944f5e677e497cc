import { Worker } from "node:worker_threads";
import { packagedFile } from "../../../disk/packaged-file.ts";

/** Converting takes time and memory that grow faster than the page: the rest of one this long is not worth it. */
const MAX_CHARACTERS = 2_000_000;
const MAX_MS = 10_000;
const MAX_MEGABYTES = 512;

/**
 * In a thread of its own: a page can be built so that converting it takes minutes or all memory, and nothing else could end that.
 * Written as text, because a thread is started from a file, which is another one in the source, the library and the bundle.
 */
const CONVERTER = `
const { parentPort, workerData } = require("node:worker_threads");
const Turndown = require(workerData.turndown);
const turndown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
turndown.remove(["script", "style", "noscript", "iframe", "template"]);
// Pictures that are in the page itself are long, and cannot be seen here.
turndown.addRule("pictures", {
  filter: "img",
  replacement: (_, node) => {
    const [source, words] = [node.getAttribute("src") || "", node.getAttribute("alt") || ""];
    return source === "" || source.startsWith("data:") ? words : "![" + words + "](" + source + ")";
  },
});
parentPort.postMessage(turndown.turndown(workerData.html));
`;

/** A page as Markdown, without what only a browser needs; as its bare words where it cannot be converted in time. */
export async function markdownOf(
  html: string,
  { signal, maxMs = MAX_MS }: { readonly signal: AbortSignal; readonly maxMs?: number },
): Promise<string> {
  const start = html.slice(0, MAX_CHARACTERS);
  const converted = await convert(start, { signal, maxMs });
  return (
    converted ??
    `[The page is built too intricately to be converted: these are its words.]\n\n${wordsOf(start)}`
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
      // Nested deeper than it can follow, out of memory, or stopped.
      worker.once("error", () => resolve(undefined));
      worker.once("exit", () => resolve(undefined));
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}

/** In one pass, whatever is left open. */
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
