import type { Json } from "../../../../src/record/parts.ts";
import type { ReceivedRequest, Responder, ScriptedReply } from "../../../../src/testing/testing.ts";

/** What the model says to one prompt, step by step; a step may look at what it was sent. */
export type Steps = readonly (ScriptedReply | ((request: ReceivedRequest) => ScriptedReply))[];

const SUMMARY = "Goal: a shop without bugs.\nFacts: discount() takes percent.\nNext: the pears.";

/** A call of one tool; with `text`, said before it. */
export function calls(name: string, input: Readonly<Record<string, Json>>, text?: string): ScriptedReply {
  return { calls: [{ name, input }], ...(text === undefined ? {} : { text }) };
}

/**
 * Says to each prompt what was written for it, whatever was rewound or compacted in between: the prompt is the last one of
 * these that the model sees. Summaries are asked for without tools.
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

/** Sends the agent back to where the step before this one began. */
export function goesBack(note: string, files: "keep" | "restore" = "keep"): Steps[number] {
  return (request) => {
    const seen = [...JSON.stringify(request.messages).matchAll(/>Checkpoint (\d+), context/gu)];
    return calls("Backtrack", { checkpoint_id: Number(seen.at(-2)?.[1]), note, files });
  };
}

/** Begins to speak, and never comes to an end by itself. */
export function speaksOn(text: string): ScriptedReply {
  return { text, hold: new Promise(() => undefined) };
}

/** A reply with `hold: held` waits until `letGo`. */
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
