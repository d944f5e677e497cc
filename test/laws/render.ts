import type { ContextMessage } from "../../src/timeline/context/context.ts";
import type { BacktrackThing, Model, Thing, Things } from "./model.ts";

const UNFINISHED = "Interrupted; it is not known whether it took effect.";
const INTRO =
  "What happened before this point, in short. The full record is kept but no longer shown to you. This is a model's report of it, quoted:";
const UNDONE = "The person undid your backtrack from here. The note that you wrote for it no longer holds.";

type Result = Extract<Thing, { kind: "tool-end" }>;
type Message = { role: string; parts: object[] } & Record<string, unknown>;

/** A naive rendering of what the model would see: each reply looks for its results in what follows. */
export function render(model: Model, tag: string): ContextMessage[] {
  const messages: Message[] = [];
  const ours = (text: string): object => ({ type: "text", text: `<system-${tag}>${text}</system-${tag}>` });
  const user = (...parts: object[]): void => void messages.push({ role: "user", parts });
  const compaction = model.branch.findLast((thing) => thing.kind === "compaction");
  if (compaction?.kind === "compaction") user(ours(`${INTRO}\n\n${quoted(compaction.summary)}`));
  const shown = model.shown();
  const hiddenBefore = compaction?.kind === "compaction" ? compaction.shown.length : 0;
  for (const [index, thing] of shown.entries()) {
    switch (thing.kind) {
      case "prompt":
        user({ type: "text", text: thing.text });
        break;
      case "notice":
      case "interrupt":
      case "redo":
        for (const text of remarksOf(thing)) user(ours(text));
        break;
      case "backtrack":
        user(ours(noteText(thing)));
        break;
      case "step":
        if (index >= hiddenBefore) mark(messages, ours(`Checkpoint ${thing.number}`));
        break;
      case "reply":
        messages.push(...exchange(shown, index, thing));
        break;
      default:
        break;
    }
  }
  return messages as unknown as ContextMessage[];
}

function mark(messages: Message[], marker: object): void {
  const last = messages.at(-1);
  if (last === undefined || last.role === "assistant") messages.push({ role: "user", parts: [marker] });
  else last.parts.push(marker);
}

function exchange(things: Things, at: number, reply: Extract<Thing, { kind: "reply" }>): Message[] {
  const said = reply.text === "" ? [] : [{ type: "text", text: reply.text }];
  const calls = reply.calls.map((call) => ({ type: "tool-call", call, name: "read", input: {} }));
  if (said.length + calls.length === 0) return [];
  const answers = answersIn(things);
  const results = reply.calls.map((call, index): Message => {
    const result = answers.get(`${at}/${index}`);
    const { outcome, text } = result ?? { outcome: "interrupted", text: UNFINISHED };
    return { role: "tool", call, name: "read", outcome, parts: [{ type: "text", text }] };
  });
  return [{ role: "assistant", model: "m", parts: [...said, ...calls] }, ...results];
}

/**
 * Matches results to calls, keyed by `reply/call`: a result belongs to the newest reply since the last step
 * that still waits for it.
 */
export function answersIn(things: Things): Map<string, Result> {
  const answers = new Map<string, Result>();
  for (const [at, thing] of things.entries()) {
    if (thing.kind !== "tool-end") continue;
    for (let back = at - 1; back >= 0 && things[back]?.kind !== "step"; back -= 1) {
      const reply = things[back];
      if (reply?.kind !== "reply") continue;
      const index = reply.calls.findIndex((call, n) => call === thing.call && !answers.has(`${back}/${n}`));
      if (index === -1) continue;
      answers.set(`${back}/${index}`, thing);
      break;
    }
  }
  return answers;
}

function quoted(text: string): string {
  const lines = text.replace(/(\r?\n)+$/u, "").split(/\r\n|[\n\v\f\r\x85\u2028\u2029]/u);
  return lines.map((line) => (line === "" ? ">" : `> ${line}`)).join("\n");
}

function moreTold({ moreTold: more }: BacktrackThing): string[] {
  if (more === 0) return [];
  return [`- (and ${more} more ${more === 1 ? "message" : "messages"}, left out here)`];
}

function noteText(note: BacktrackThing): string {
  return [
    `You were further ahead and went back to checkpoint ${note.to}. What came after it is gone from your context; this is your own note from there:`,
    quoted(note.note),
    ...(note.prompts.length > 0
      ? ["Since that checkpoint the person wrote, word for word:", ...note.prompts.map(quoted)]
      : []),
    ...(note.told.length > 0
      ? [
          `Already said to the user, who can still read it; say it again only where your answer needs it:\n${[...note.told.map((line) => `\n${quoted(line)}`), ...moreTold(note)].join("\n")}`,
        ]
      : []),
    ...(note.times > 1 ? [`You have come back to this checkpoint ${note.times} times now.`] : []),
    "Go on from the note. Do not repeat what it says was done or has failed.",
  ].join("\n\n");
}

/** The notices caused by an item that is not a message itself, if any. */
function remarksOf(thing: Thing): string[] {
  if (thing.kind === "notice") return [thing.text];
  if (thing.kind === "interrupt" && thing.by === "person") return ["The person interrupted the turn here."];
  return thing.kind === "redo" && thing.revokes === "note" ? [UNDONE] : [];
}
