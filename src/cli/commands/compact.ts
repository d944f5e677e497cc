import { type CompactionPreview, compactConversation, previewCompaction } from "../../app/compact.ts";
import { contextOfSession, refuseExecution, requireSession } from "../../app/sessions/find-session.ts";
import { openStore } from "../../app/sessions/store.ts";
import { WorldlineError } from "../../record/error.ts";
import type { SessionId } from "../../record/ids.ts";
import { defineCommand, flag, rest, text } from "../command.ts";
import type { Frame } from "../frame.ts";
import { printPerson } from "./agent/print-person.ts";

export const compact = defineCommand({
  help: (help) => help.compact,
  arguments: { focus: rest() },
  options: {
    model: text("<provider/name>"),
    dryRun: flag(),
  },
  run: async ({ arguments: { focus }, options: { dryRun, model }, frame: here }) => {
    if (model?.trim() === "") throw new WorldlineError("model-not-named", {});
    const view = await requireSession(here, openStore(here));
    refuseExecution(view.header);
    const frame = await contextOfSession(here, view.header);
    if (dryRun) return answerPreview(frame, view.id, await previewCompaction(frame, view));
    const { compact: words } = frame.strings;
    const request = { focus: focus.join(" "), model, person: printPerson(() => undefined) };
    const { before, after, model: by, usage } = await compactConversation(frame, view, request);
    const document = {
      ...{ session: view.id, changed: true, tokensBefore: before, tokensAfter: after, model: by },
      ...(usage === undefined ? {} : { usage }),
    };
    frame.output.answer(document, () => [words.done(before, after, by), words.nothingLost].join("\n"));
  },
});

function answerPreview(
  { output, strings: { compact: words } }: Frame,
  session: SessionId,
  { cut: { summarised, replaced, kept }, keep, prompts }: CompactionPreview,
): void {
  const document = {
    session,
    changed: false,
    summarised: { entries: summarised.length, tokens: replaced },
    kept: { exchanges: keep, entries: kept.length, prompts },
  };
  output.answer(document, () =>
    [
      words.wouldSummarise(summarised.length, replaced),
      words.wouldKeep(keep, kept.length),
      ...prompts.map(words.wouldPin),
      words.dryRun,
    ].join("\n"),
  );
}
