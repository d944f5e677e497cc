import { posix } from "node:path";
import type { Subject } from "../tools/tool.ts";
import { outsideOf, protectedOf, seeCommand } from "./commands.ts";
import { type Ground, isInside, protectedPart } from "./places.ts";
import { PATH_TOOLS } from "./rules.ts";

/** Programs whose second word says what they do. */
const WITH_SUBCOMMANDS = new Set(
  "npm pnpm yarn bun deno git cargo go make pip pip3 uv poetry bundle mvn gradle dotnet composer mix npx".split(
    " ",
  ),
);
/** Of these, one more word says it. */
const RUNNERS = new Set(["run", "run-script", "exec"]);

export interface RuleRequest {
  readonly tool: string;
  readonly subject: Subject;
  readonly ground: Ground;
  /** "usual": as much as a person would mean by it, and no more. "exact": this path, this command. */
  readonly extent: "usual" | "exact";
}

/** The rule that "always" adds. */
export function ruleFor({ tool, subject, ground, extent }: RuleRequest): string {
  switch (subject.kind) {
    case "path":
      return PATH_TOOLS.includes(tool) ? pathRule(tool, subject, { ground, extent }) : tool;
    case "command":
      return tool === "Bash" ? commandRule(subject.command.trim(), { ground, extent }) : tool;
    case "url":
      return tool === "WebFetch" ? urlRule(subject.url) : tool;
    case "tool":
      return tool;
    default:
      return subject satisfies never;
  }
}

/** Inside the workspace the file's folder; outside it, and where code is run from, that path alone. */
function pathRule(
  tool: string,
  { path, access }: Extract<Subject, { kind: "path" }>,
  { ground, extent }: Pick<RuleRequest, "ground" | "extent">,
): string {
  const name = access === "write" ? "Edit" : "Read";
  if (!isInside(ground, path)) return `${name}(/${escaped(path)})`;
  const relative = posix.relative(ground.workspace, path);
  if (relative === "") return tool;
  const folder = posix.dirname(relative);
  const isAlone = extent === "exact" || folder === "." || protectedPart(ground, path) !== undefined;
  // A name of spaces alone would read as an empty pattern.
  const start = relative.trim() === "" ? "./" : "";
  if (isAlone) return `${name}(${start}${escaped(relative)})`;
  return `${name}(${escaped(folder)}/**)`;
}

function escaped(path: string): string {
  return path.replace(/[\\*?[\]{}()!+@|"'~$^,]/gu, "\\$&");
}

/** What the command does with other arguments too, where its first words say what it does; else exactly this command. */
function commandRule(text: string, { ground, extent }: Pick<RuleRequest, "ground" | "extent">): string {
  const exact = `Bash(${text.replaceAll("*", "\\*") || ":"})`;
  if (extent === "exact") return exact;
  const command = seeCommand(text);
  const [part, ...more] = command.parts ?? [];
  const isQuiet = outsideOf(ground, command) === undefined && protectedOf(ground, command) === undefined;
  if (part === undefined || more.length > 0 || part.files.length > 0 || !isQuiet) return exact;
  const [program = "", second = "", third = ""] = part.words;
  if (!WITH_SUBCOMMANDS.has(program) || !isWord(second)) return exact;
  const fixed = RUNNERS.has(second) && isWord(third) ? [program, second, third] : [program, second];
  return RUNNERS.has(second) && fixed.length === 2 ? exact : `Bash(${fixed.join(" ")}:*)`;
}

function isWord(word: string): boolean {
  return /^[A-Za-z][\w:@./-]*$/u.test(word);
}

function urlRule(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  // A name that is none is granted alone, and so grants nothing.
  return `WebFetch(domain:${/^(?:[a-z0-9_.-]*[a-z0-9_-]|\[[0-9a-f:.]+\])$/u.test(host) ? host : "invalid"})`;
}
