import type { AgentEvent, BacktrackCard, ChangedFile } from "../../../ports/agent-events.ts";
import type { Frame } from "../../frame.ts";
import { notCompactedText, reportText, saidOnce, type TurnPrinter } from "./turn-printer.ts";

/**
 * Prints a turn for `--output-format json`. Prints nothing until the end, and then a single document. A failed turn is
 * also a result, so the document contains its error.
 */
export function jsonPrinter(frame: Frame): TurnPrinter {
  const { output } = frame;
  let files: readonly ChangedFile[] = [];
  let moreFiles = 0;
  const cards: Omit<BacktrackCard, "type">[] = [];
  const isNew = saidOnce();
  return {
    apply(event) {
      if (event.type === "files") {
        files = event.files;
        moreFiles = event.more;
      }
      if (event.type === "backtrack") {
        const { type: _type, ...card } = event;
        cards.push(card);
      }
      if (event.type === "compaction" && event.outcome !== "done") {
        output.warn(notCompactedText(frame, event));
      }
      if (event.type !== "warning") return;
      const text = reportText(frame, event);
      if (isNew(text)) output.warn(text);
    },
    end({ session, model, end, denied, plan, resume }) {
      const { type: _type, cost, error, ...rest } = end;
      const document = {
        session,
        model,
        ...rest,
        cards,
        cost: cost ?? null,
        files,
        moreFiles,
        denied: denied.map(({ tool, about, why, rule }) => ({ tool, about, why, rule: rule ?? null })),
        plan: plan ?? null,
        error: error ?? null,
        resume: resume ?? null,
      };
      output.answer(document, () => "");
    },
  };
}

/**
 * Prints a turn for `--output-format stream-json`, with every event on its own line, `session` first and `turn-end`
 * last. Events that arrive before `session` are held back until the session is known. A slow reader still receives all
 * events, but later.
 */
export function streamPrinter({ output }: Frame): TurnPrinter {
  const early: AgentEvent[] = [];
  let state: "before" | "told" | "ended" = "before";
  const write = (event: AgentEvent) => output.line({ ...event });
  const begin = () => {
    state = "told";
    for (const event of early.splice(0)) write(event);
  };
  const apply = (event: AgentEvent) => {
    if (event.type === "turn-end" || event.type === "busy") return;
    if (event.type === "session" && state === "before") {
      write(event);
      begin();
    } else if (state === "before") early.push(event);
    else write(event);
  };
  output.linesOnly((message) => {
    // Readers do not expect lines after `turn-end`, so a late message goes to standard error.
    if (state === "ended") output.notice(message);
    else apply({ type: "warning", code: "WARNING", message });
  });
  return {
    apply,
    end({ end }) {
      begin();
      write(end);
      state = "ended";
    },
  };
}
