import type { Json } from "../../../../src/record/parts.ts";
import type { ReceivedRequest, Responder, ScriptedReply } from "../../../../src/testing/testing.ts";

/** The model's replies to one prompt, step by step; a step can inspect the request. */
export type Steps = readonly (ScriptedReply | ((request: ReceivedRequest) => ScriptedReply))[];

const SUMMARY = "Goal: a shop without bugs.\nFacts: discount() takes percent.\nNext: the pears.";

/** A call of one tool, optionally after `text`. */
export function calls(name: string, input: Readonly<Record<string, Json>>, text?: string): ScriptedReply {
  return { calls: [{ name, input }], ...(text === undefined ? {} : { text }) };
}

/**
 * Answers each prompt with its own replies, whatever was rewound or compacted in between: the last of these
 * prompts in the request decides. Summaries are requested without tools.
 */
export function byPrompt(steps: Readonly<Record<string, Steps>>): Responder {
  const left = new Map(Object.entries(steps).map(([prompt, each]) => [prompt, [...each]]));
  return (request) => {
    if (request.tools.length === 0) return { text: SUMMARY };
    const prompt = lastOf([...left.keys()], request);
    const step = left.get(prompt ?? "")?.shift() ?? { text: `(nothing is written for ${prompt ?? "this"})` };
    return typeof step === "function" ? step(request) : step;
  };
}

/** Backtracks to where the previous step began. */
export function goesBack(note: string, files: "keep" | "restore" = "keep"): Steps[number] {
  return (request) => {
    const seen = [...JSON.stringify(request.messages).matchAll(/>Checkpoint (\d+), context/gu)];
    return calls("Backtrack", { checkpoint_id: Number(seen.at(-2)?.[1]), note, files });
  };
}

/** Starts to stream a reply that never ends by itself. */
export function speaksOn(text: string): ScriptedReply {
  return { text, hold: new Promise(() => undefined) };
}

/** A reply with `hold: held` waits until `letGo` is called. */
export function hold(): { readonly held: Promise<void>; readonly letGo: () => void } {
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return { held, letGo };
}

function lastOf(prompts: readonly string[], { messages }: ReceivedRequest): string | undefined {
  const said = messages.flatMap(({ role, text }) => (role === "user" ? [text] : [])).join("\n");
  return prompts
    .filter((each) => said.includes(each))
    .sort((a, b) => said.lastIndexOf(b) - said.lastIndexOf(a))[0];
}
