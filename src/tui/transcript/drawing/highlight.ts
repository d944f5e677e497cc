import type { HLJSApi } from "highlight.js";
import type { Paint } from "../../look/look.ts";

let highlighter: HLJSApi | undefined;

/** Loads what knows about languages; until then code is plain. It is large, and the first frame does not wait for it. */
export async function loadHighlighter(): Promise<void> {
  highlighter = (await import("highlight.js/lib/common")).default;
}

/** Whether code that was laid out before would look different now. */
export function highlighterState(): "plain" | "ready" {
  return highlighter === undefined ? "plain" : "ready";
}

/** Longer code is left plain: a frame must not wait for it. */
const MOST_CHARACTERS = 20_000;

export function highlight(code: string, language: string | undefined, paint: Paint): string[] {
  if (code === "") return [];
  const known = language === undefined ? undefined : highlighter?.getLanguage(language);
  if (highlighter === undefined || known === undefined || code.length > MOST_CHARACTERS) {
    return code.split("\n");
  }
  const { value } = highlighter.highlight(code, { language: language ?? "", ignoreIllegals: true });
  return painted(value, paint);
}

const PIECES = /<span class="([^"]*)">|<\/span>|[^<]+/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};

/** Reads the HTML that highlight.js writes. A colour ends with its line, so that each line stands for itself. */
function painted(html: string, paint: Paint): string[] {
  const scopes: string[] = [];
  let text = "";
  for (const [piece, names] of html.matchAll(PIECES)) {
    if (piece === "</span>") scopes.pop();
    else if (names !== undefined) scopes.push(names.replace(/^hljs-/u, ""));
    else
      text += paintedLines(
        piece,
        paint.token(scopes.findLast((scope) => !scope.startsWith("language-")) ?? ""),
      );
  }
  return text.split("\n");
}

function paintedLines(piece: string, brush: (text: string) => string): string {
  const plain = piece.replace(/&(?:amp|lt|gt|quot|#x27);/gu, (entity) => ENTITIES[entity] ?? entity);
  return plain
    .split("\n")
    .map((line) => (line === "" ? "" : brush(line)))
    .join("\n");
}
