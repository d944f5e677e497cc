import type { ChangedFile } from "../../../../ports/agent-events.ts";
import type { Frame } from "../../../command/frame.ts";
import { type Voice, warningText } from "./voice.ts";

/** `--output-format json`: silent until the end, then one document. Failing is an answer too, so it holds the error. */
export function jsonVoice({ output }: Frame): Voice {
  let files: readonly ChangedFile[] = [];
  let moreFiles = 0;
  return {
    hear(event) {
      if (event.type === "files") {
        files = event.files;
        moreFiles = event.more;
      }
      if (event.type === "warning") output.warn(warningText(event));
    },
    end({ session, model, end, denied, resume }) {
      const { type: _type, cost, error, ...rest } = end;
      const document = {
        session,
        model,
        ...rest,
        cost: cost ?? null,
        files,
        moreFiles,
        denied,
        error: error ?? null,
        resume: resume ?? null,
      };
      output.answer(document, () => "");
    },
  };
}
