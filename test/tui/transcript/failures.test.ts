import { describe, expect, it } from "vitest";
import type { AgentEvent, RetryEvent } from "../../../src/ports/agent-events.ts";
import type { Entry } from "../../../src/record/entry.ts";
import { initialTranscript } from "../../../src/tui/transcript/apply-entry.ts";
import { applyEvent } from "../../../src/tui/transcript/apply-event.ts";
import { EMPTY_TRANSCRIPT, type Transcript } from "../../../src/tui/transcript/transcript.ts";
import { LayoutCache, viewport } from "../../../src/tui/view/conversation.ts";
import { tell } from "../../story.ts";
import { lookIn, plain } from "./drawing/looks.ts";

/** A story in which `title x` stands for a failure with that message. */
function failing(...lines: readonly string[]): readonly Entry[] {
  return tell(...lines).entries.map((entry) => {
    if (entry.kind !== "title") return entry;
    const { title: message, ...base } = entry;
    return { ...base, kind: "error", code: "MODEL_FAILED", message };
  });
}

function heard(entries: readonly Entry[], ...events: readonly AgentEvent[]): Transcript {
  const told = [...entries.map((entry) => ({ type: "entry", entry }) as const), ...events];
  return told.reduce((so, event) => applyEvent(so, event, { now: 0 }), EMPTY_TRANSCRIPT);
}

function shown(transcript: Transcript): readonly string[] {
  const window = { width: 100, rows: 20, scroll: 0, folds: "folded", display: "card" } as const;
  const look = lookIn("en", { NO_COLOR: "1" });
  return viewport(transcript, window, { look, cache: new LayoutCache() }).lines.map(plain);
}

const retry: RetryEvent = {
  type: "retry",
  checkpoint: 2,
  attempt: 2,
  of: 3,
  waitMs: 2_000,
  code: "MODEL_FAILED",
  message: "overloaded",
};
const end: AgentEvent = {
  type: "turn-end",
  outcome: "failed",
  answer: "",
  steps: 1,
  backtracks: 0,
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  milliseconds: 1,
  error: { code: "MODEL_FAILED", message: "still overloaded" },
};
const story = ["prompt a", "step 2", "title overloaded"];

describe("a model that fails", () => {
  it("has one line that counts the tries while it is asked again", () => {
    const trying = heard(failing(...story, "title overloaded"), retry);
    expect(shown(trying)).toEqual(["› a", "", "! Retrying in 2 s (2 of 3): overloaded"]);
  });

  it("has one line for all tries and one that says how to continue, when retrying has ended", () => {
    const entries = failing(...story, "title overloaded", "title still overloaded");
    expect(shown(heard(entries, end))).toEqual([
      "› a",
      "",
      "✗ still overloaded (tried 3 times)",
      '! Nothing is lost. Send "continue" to try again from here, or choose another model with /model.',
    ]);
    expect(shown(initialTranscript(entries, "no"))).toEqual([
      "› a",
      "",
      "✗ still overloaded (tried 3 times)",
    ]);
  });

  it("is counted on where it is written down in between how far another agent got, which is not shown", () => {
    expect(shown(heard(failing(...story, "host x 1", "title overloaded")))).toEqual([
      "› a",
      "",
      "✗ overloaded (tried 2 times)",
    ]);
  });

  it("is reported again in the next step", () => {
    expect(shown(heard(failing(...story, "step 3", "title overloaded")))).toEqual([
      "› a",
      "",
      "✗ overloaded",
      "✗ overloaded",
    ]);
  });
});
