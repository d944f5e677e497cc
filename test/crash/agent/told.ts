import type { Entry } from "../../../src/record/entry.ts";
import type { ToolCallPart } from "../../../src/record/parts.ts";

/** The state of a turn as a log without rewinds implies it, computed without any product code. */
export type Told =
  | { readonly state: "idle" }
  | {
      readonly state: "cut";
      readonly step: number;
      readonly while: "before-first-step" | "replying" | "tools";
      readonly open: readonly string[];
      readonly finished: readonly string[];
      readonly unstarted: readonly string[];
    };

/** A naive line-by-line reading of a log. */
export function toldBy(entries: readonly Entry[]): Told {
  let told: Told = { state: "idle" };
  let calls = new Map<string, "open" | "finished" | "unstarted">();
  let step = 0;
  const tell = (at: Extract<Told, { state: "cut" }>["while"]): Told => {
    const inState = (wanted: string): string[] =>
      [...calls].flatMap(([call, state]) => (state === wanted ? [call] : []));
    return {
      state: "cut",
      step: at === "before-first-step" ? 0 : step,
      while: at,
      open: inState("open"),
      finished: inState("finished"),
      unstarted: inState("unstarted"),
    };
  };
  for (const entry of entries) {
    switch (entry.kind) {
      case "prompt":
        calls = new Map();
        told = tell("before-first-step");
        break;
      case "step":
      case "backtrack":
        step = entry.kind === "step" ? entry.number : entry.to;
        calls = new Map();
        told = tell("replying");
        break;
      case "reply": {
        const made = entry.parts.filter((part): part is ToolCallPart => part.type === "tool-call");
        calls = new Map(made.map(({ call }) => [call, "unstarted"]));
        told = made.length === 0 ? { state: "idle" } : tell("tools");
        break;
      }
      case "tool-start":
      case "tool-end":
        calls.set(entry.call, entry.kind === "tool-start" ? "open" : "finished");
        told = tell("tools");
        break;
      default:
    }
  }
  return told;
}
