import { z } from "zod";
import { descriptions } from "../generated/descriptions.ts";
import { firstCharacters, oneLine, plural } from "../text.ts";
import { defineTool, done, failed, interrupted, type Tool, type ToolResult, tolerating } from "../tool.ts";
import { markdownOf } from "./markdown.ts";
import { type Fetch, type FetchedPage, fetchPage, webAddress } from "./page.ts";

const MOST_CHARACTERS = 50_000;
const TIMEOUT_MS = 30_000;

const input = z.strictObject({
  url: z.string().min(1).describe("With http:// or https://."),
});

export function webFetchTool({ fetch }: { readonly fetch: Fetch }): Tool {
  return defineTool<z.infer<typeof input>>({
    name: "WebFetch",
    description: descriptions.webFetch,
    // Elsewhere a second model answers this prompt from the page; here the model reads the page itself.
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
      if (!("refused" in page)) return answer(page, { asked: url, signal });
      return failed(
        late.aborted
          ? `${url} did not answer completely within ${TIMEOUT_MS / 1_000} seconds.`
          : page.refused,
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
  if (page.status >= 400) return failed(`${page.url} answered with HTTP ${page.status}.\n\n${text}`.trim());
  const from = page.url === new URL(asked).href ? "" : `[From ${page.url}]\n\n`;
  return done(`${from}${text === "" ? "(The page is empty.)" : text}`);
}

function cut(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= MOST_CHARACTERS) return trimmed;
  const shown = firstCharacters(trimmed, MOST_CHARACTERS);
  return `${shown}\n\n[... ${plural(trimmed.length - shown.length, "more character")} left out]`;
}
