import type { Model, ModelEvent, ModelRequest } from "../../ports/model.ts";
import { inEnglish, problemOf } from "../../record/error.ts";
import { type ToolCallPart, textPart, type Usage } from "../../record/parts.ts";
import type { Candidate } from "./candidates.ts";
import { decide } from "./decide.ts";
import { callId, readContext } from "./read-context.ts";

/** The worker's name for `--model` and in the log. */
export const FINDER_MODEL = "worldline/finder";
export const FINDER_WINDOW = 200_000;

/** The worker does not call a provider, so it does not use any tokens. */
const FREE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

export interface OfflineWorkerOptions {
  /** Returns the possible causes, most suspicious first. Called for each prompt before anything is tried. */
  readonly candidates: () => Promise<readonly Candidate[]>;
}

/**
 * Creates the finder as a model. Like any model, the finder answers contexts with tool calls, and it backtracks with a
 * note after a wrong guess. The finder does not keep state between answers. The context contains everything it needs.
 */
export function offlineWorker({ candidates }: OfflineWorkerOptions): Model {
  let latest: Promise<readonly Candidate[]> | undefined;
  // The list created at the beginning of a prompt is used until the prompt ends. A list created during a try, while a
  // change is undone, would not contain that change.
  const known = async (when: "fresh" | "later"): Promise<readonly Candidate[]> => {
    if (when === "fresh" || latest === undefined) latest = candidates();
    return latest;
  };
  return { name: FINDER_MODEL, window: FINDER_WINDOW, stream: (request) => answer(request, known) };
}

async function* answer(
  { context, tools, signal }: ModelRequest,
  candidates: (when: "fresh" | "later") => Promise<readonly Candidate[]>,
): AsyncGenerator<ModelEvent> {
  if (signal.aborted) {
    yield {
      type: "failed",
      failure: { ...inEnglish("model-cancelled", {}), code: "CANCELLED", retry: "never" },
    };
    return;
  }
  const reading = readContext(context);
  let known: readonly Candidate[];
  try {
    known = await candidates(reading.answered.length === 0 ? "fresh" : "later");
  } catch (cause) {
    const failure = inEnglish("changes-unreadable", { problem: problemOf(cause) });
    yield { type: "failed", failure: { ...failure, code: "MODEL_FAILED", retry: "never", cause } };
    return;
  }
  const names = new Set(tools.map(({ name }) => name));
  const decision = decide({ reading, candidates: known, tools: names });
  if (decision.do === "say") {
    yield { type: "text", text: decision.text };
    yield { type: "end", parts: [textPart(decision.text)], usage: FREE };
    return;
  }
  const { name, input, purpose } = decision;
  const part: ToolCallPart = { type: "tool-call", call: callId(purpose), name, input };
  yield { type: "call", call: part.call, name, text: JSON.stringify(input) };
  yield { type: "end", parts: [part], usage: FREE };
}
