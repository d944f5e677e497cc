/** Converting takes time that nothing else gets: the rest of a page this long is not worth it. */
const MOST_CHARACTERS = 2_000_000;

/** A page as Markdown, without what only a browser needs. */
export async function markdownOf(html: string): Promise<string> {
  const { default: Turndown } = await import("turndown");
  const turndown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  turndown.remove(["script", "style", "noscript", "iframe", "template"]);
  // Pictures that stand in the page itself are long, and cannot be seen here.
  turndown.addRule("pictures", { filter: "img", replacement: (_, node) => pictureText(node) });
  try {
    return turndown.turndown(html.slice(0, MOST_CHARACTERS));
  } catch {
    // Nested deeper than the converter can follow: better the bare words than nothing.
    return html.replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, " ").replace(/<[^>]*>/g, " ");
  }
}

function pictureText(node: unknown): string {
  const attribute = (name: string): string => {
    const value: unknown = Reflect.apply(Reflect.get(Object(node), "getAttribute"), node, [name]);
    return typeof value === "string" ? value : "";
  };
  const source = attribute("src");
  return source === "" || source.startsWith("data:") ? attribute("alt") : `![${attribute("alt")}](${source})`;
}
