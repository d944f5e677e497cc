const LENGTH = 80;

/** Line breaks as spaces, 80 characters. A spilled text begins in its line. */
export function startOfText(text: unknown): string {
  const start = typeof text === "string" ? text : String((text as { start?: unknown } | null)?.start ?? "");
  return [...start.replace(/\s+/gu, " ").trim()].slice(0, LENGTH).join("");
}
