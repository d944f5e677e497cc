/** Blocks of Markdown that their content cannot break out of, whatever a tool or a person wrote. */

const LINE_END = /\r\n|\n|\r/;

/** A fence is longer than any run of backticks within, so that none of them closes it. */
export function fenced(text: string, language = ""): string {
  const runs = text.match(/`+/g) ?? [];
  const longest = runs.reduce((most, run) => Math.max(most, run.length), 0);
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

/** A quotation ends with its last line, and with it everything that was left open in it. */
export function quoted(text: string): string {
  return text
    .split(LINE_END)
    .map((line) => (line === "" ? ">" : `> ${line}`))
    .join("\n");
}

/** Markdown that the model wrote, as it stands; quoted where it would swallow what comes after it. */
export function asWritten(text: string): string {
  return isClosed(text) ? text : quoted(text);
}

/** A part that is folded until a reader opens it. Its blocks are foldable, or folded parts themselves. */
export function details(summary: string, blocks: readonly string[]): string {
  return `<details>\n<summary>${summary}</summary>\n\n${blocks.join("\n\n")}\n\n</details>`;
}

/** A block that cannot close the folded part that it is in. */
export function foldable(block: string): string {
  let fence = "";
  const lines = block.split("\n").map((line) => {
    const isCode = fence !== "";
    fence = fenceAfter(fence, line);
    return isCode ? line : line.replace(/<(?=\/?(?:details|summary)\b)/giu, "&lt;");
  });
  return lines.join("\n");
}

export function codeSpan(text: string): string {
  const line = oneLine(text);
  const runs = line.match(/`+/g) ?? [];
  const fence = "`".repeat(runs.reduce((most, run) => Math.max(most, run.length), 0) + 1);
  const pad = line.startsWith("`") || line.endsWith("`") || line === "" ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Text within a line of ours, such as a title. */
export function inline(text: string): string {
  return oneLine(text).replace(/[\\`*_[\]<>#|~]/g, "\\$&");
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

/** Whether all fences are closed, and no HTML begins that only an end mark of its own would close. */
function isClosed(text: string): boolean {
  const lines = text.split(LINE_END);
  if (lines.some((line) => /^ {0,3}<(?:script|pre|style|textarea|!|\?)/i.test(line))) return false;
  return lines.reduce(fenceAfter, "") === "";
}

/** The fence that is open after `line`, if `open` was before it. */
function fenceAfter(open: string, line: string): string {
  const [, fence = "", rest = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (fence === "") return open;
  if (open !== "") return fence.startsWith(open) && rest.trim() === "" ? "" : open;
  return fence.startsWith("`") && rest.includes("`") ? "" : fence;
}
