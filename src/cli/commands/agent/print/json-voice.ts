import type { BacktrackCard, ChangedFile } from "../../../../ports/agent-events.ts";
import type { Frame } from "../../../command/frame.ts";
import { saidOnce, type Voice, warningText } from "./voice.ts";

/** `--output-format json`: silent until the end, then one document. Failing is an answer too, so it holds the error. */
export function jsonVoice({ output, strings }: Frame): Voice {
  let files: readonly ChangedFile[] = [];
  let moreFiles = 0;
  const cards: Omit<BacktrackCard, "type">[] = [];
  const isNew = saidOnce();
  return {
    hear(event) {
      if (event.type === "files") {
        files = event.files;
        moreFiles = event.more;
      }
      if (event.type === "backtrack") {
        const { type: _type, ...card } = event;
        cards.push(card);
      }
      if (event.type === "compaction" && event.outcome !== "done") {
        output.warn(strings.agent.notCompacted(event.why));
      }
      if (event.type === "warning" && isNew(warningText(event))) output.warn(warningText(event));
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
