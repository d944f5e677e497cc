import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type Json } from "../../../../src/record/parts.ts";
import type { ReceivedRequest, Responder, ScriptedReply } from "../../../../src/testing/testing.ts";
import { type Series, seriesOf } from "../../../support/claude/series.ts";
import { additions, type SpokenMessage, spoken } from "../../../support/claude/spoken.ts";
import type { ClaudeStage } from "./claude-stage.ts";

type Wired = Pick<ClaudeStage, "server" | "session">;

/** The conversations that the model has been sent so far, each as lines; our own notices are in brackets. */
export function conversations(stage: Wired, of: Series = "main"): readonly (readonly string[])[] {
  return stage.server.requests
    .filter((request) => seriesOf(request) === of)
    .map((request) => spoken(request).flatMap((message) => linesOf(message, stage.session.header.tag)));
}

/** The last conversation that the model was sent. */
export function lastShown(stage: Wired): readonly string[] {
  return conversations(stage).at(-1) ?? [];
}

/** The checkpoints with a marker anywhere in the latest request. */
export function markers({ server, session }: Wired): readonly number[] {
  const request = server.requests.at(-1) as ReceivedRequest;
  const texts = [...additions(request), ...spoken(request).flatMap(({ text = [] }) => text)].join("\n");
  const marks = texts.matchAll(new RegExp(`<system-${session.header.tag}>Checkpoint (\\d+)`, "gu"));
  return [...marks].map(([, number]) => Number(number));
}

function linesOf(message: SpokenMessage, tag: string): readonly string[] {
  const { role, summary, text = [], calls = [], results = [], meanwhile = [] } = message;
  // Our own agent's model gets its markers inside results.
  const marker = new RegExp(`\\n<system-${tag}>Checkpoint [^<]*</system-${tag}>`, "gu");
  const said = role === "assistant" ? text : text.map((words) => ours(words, tag) ?? `> ${words}`);
  return [
    ...(summary === undefined ? [] : [`summary: ${summary}`]),
    ...results.map(
      (result) => `${result.isError === true ? "!" : "="} ${result.text.replaceAll(marker, "")}`,
    ),
    ...said,
    ...calls.map(({ name, input }) => `${name}(${about(input)})`),
    ...meanwhile.map((words) => `>> ${words}`),
  ];
}

/** Removes what varies between runs: the tag, and how full the context was. */
function ours(words: string, tag: string): string | undefined {
  const open = `<system-${tag}>`;
  if (!words.startsWith(open)) return undefined;
  const inside = words
    .slice(open.length, -open.length - 1)
    .replaceAll(/(Checkpoint \d+), context \d+ %/gu, "$1");
  return `[${inside.replaceAll(`-${tag}`, "")}]`;
}

function about(input: Json): string {
  const command = isJsonObject(input) ? (input["command"] ?? input["prompt"]) : undefined;
  return typeof command === "string" ? command : JSON.stringify(input);
}

/** Answers "x" with "on x". Turns "$ a | b" into parallel commands, and says "done" when they have ended. */
export const obliging: Responder = (request) => {
  const last = spoken(request).at(-1);
  const words = last?.text?.findLast((text) => !/^<system-\w+>Checkpoint \d/u.test(text)) ?? "";
  if (words.startsWith("$ ")) return commands(...words.slice(2).split(" | "));
  return { text: words === "" || words.startsWith("<system-") ? "done" : `on ${words}` };
};

export function commands(...all: readonly string[]): ScriptedReply {
  const calls = all.map((command) => ({ name: "Bash", input: { command, description: "x" } }));
  return { calls };
}

/** The SDK's sessions on disk: the content of each file by session id. */
export function sdkSessions(): ReadonlyMap<string, string> {
  return new Map(
    sdkFiles().map((file) => [file.replace(/^.*\/|\.jsonl$/gu, ""), readFileSync(file, "utf8")]),
  );
}

export function sdkFiles(): readonly string[] {
  const root = join(process.env["CLAUDE_CONFIG_DIR"] ?? "", "projects");
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  return names.filter((name) => /^[^/]*\/[^/]*\.jsonl$/u.test(name)).map((name) => join(root, name));
}

/** The SDK session that the log names last. */
export async function hostSession({ session }: Pick<ClaudeStage, "session">): Promise<string> {
  return (await session.entriesOf("host")).at(-1)?.hostSession ?? "";
}

/**
 * The messages in an SDK session. The SDK adds bookkeeping lines whenever a process ends; these are left out.
 */
export function messageLines(id: string): readonly string[] {
  const lines = (sdkSessions().get(id) ?? "").split("\n");
  return lines.filter((line) => /"type":"(?:user|assistant)"/u.test(line));
}
