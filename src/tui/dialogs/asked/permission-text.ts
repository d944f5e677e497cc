import type { PermissionRequest } from "../../../ports/person.ts";
import { isJsonObject, type Json } from "../../../record/json.ts";
import { condensedBlanks, visibleName, visibleText } from "../../../record/visible-text.ts";
import type { Strings } from "../../../strings/strings.ts";
import { wholeAbout } from "../../../timeline/turn-state.ts";
import { toolKind } from "../../transcript/tool-kind.ts";

/** At the end of each line of a command that another one follows: a line that was only wrapped has none. */
const LINE_BREAK = "↵";
/** What a command is called by its author; it says nothing of what it does. */
const NAMES_ONLY = new Set(["description"]);
const PATHS = ["file_path", "notebook_path"];

/** Everything a question is about, as text whose end cannot be pushed out of sight. */
export function subjectText(request: PermissionRequest, strings: Strings): string {
  const { tool, input, about, diff } = request;
  if (!isJsonObject(input)) return shownLines(about, strings);
  const main = mainField(request);
  const whole = main === undefined ? about : String(input[main]);
  const isListed = main === undefined && Object.keys(input).length > 0 && isJsonOf(about, input);
  const isChange = diff !== undefined && toolKind(tool) === "change";
  const isShell = toolKind(tool) === "shell";
  const fields = Object.entries(input).flatMap(([key, value]) =>
    key === main || isChange || (isShell && NAMES_ONLY.has(key)) ? [] : [`${key}: ${textOf(value)}`],
  );
  const host = hostOf(whole);
  return [
    ...(isListed ? [] : [shownLines(whole, strings)]),
    ...(host === undefined ? [] : [strings.terminal.dialogs.permission.host(host)]),
    ...fields.map((field) => shownLines(field, strings)),
  ].join("\n");
}

/** The field of the input that `about` tells of, perhaps not to its end. */
function mainField({ tool, input, about }: PermissionRequest): string | undefined {
  if (!isJsonObject(input)) return undefined;
  if (toolKind(tool) === "shell") return isSaid(input["command"]) ? "command" : undefined;
  return PATHS.find((field) => isSaid(input[field])) ?? wholeAbout(input, about);
}

function isJsonOf(about: string, input: Json): boolean {
  return flat(JSON.stringify(input)).startsWith(flat(about.split(/[…⋯]/u)[0] ?? ""));
}

function flat(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

function isSaid(value: Json | undefined): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A host that does not stand where a reader looks for it: behind a user's name, or in letters of another alphabet. */
function hostOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, host, hostname } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return undefined;
  const rest = text.toLowerCase().startsWith(`${protocol}//${host}`)
    ? text.slice(protocol.length + 2 + host.length)
    : undefined;
  return rest === undefined || !/^(?:[/?#]|$)/u.test(rest) ? hostname : undefined;
}

/** As many lines as it has, each with what cannot be seen shown. */
function shownLines(text: string, strings: Strings): string {
  return condensedBlanks(text.trimEnd(), strings.terminal.dialogs.blanks)
    .split("\n")
    .map(visibleName)
    .join(`${LINE_BREAK}\n`);
}

/** On one line: a rule, a reason, the name of a tool. */
export function shownLine(text: string, strings: Strings): string {
  return visibleName(condensedBlanks(text, strings.terminal.dialogs.blanks));
}

/** The same for a rule, in which line breaks are written `\n`. */
export function shownRule(rule: string, strings: Strings): string {
  const { lines } = strings.terminal.dialogs.blanks;
  return shownLine(
    rule.replace(/(?:\\n){8,}/gu, (run) => `\\n${lines(run.length / 2 - 1)}`),
    strings,
  );
}

/** Indentation stays, which begins behind the sign of a line. */
export function shownDiff(diff: string, strings: Strings): string {
  const { blanks } = strings.terminal.dialogs;
  return visibleText(diff)
    .split("\n")
    .map((line) => line.slice(0, 1) + condensedBlanks(line.slice(1), blanks))
    .join("\n");
}
