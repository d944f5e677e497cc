import {
  deleteExecution,
  type ExecutionDeletion,
  planExecutionDeletion,
} from "../../../app/executions/delete-execution.ts";
import { oneLine } from "../../../record/visible-text.ts";
import { listedId } from "../../../show/session-text.ts";
import { requireConsent } from "../../ask.ts";
import { defineCommand, flag, required, text } from "../../command.ts";
import { shellWording } from "../../command-again.ts";
import type { Frame } from "../../frame.ts";

export const deleteCommand = defineCommand({
  help: (help) => help.executionsDelete,
  arguments: { id: required() },
  options: {
    checkpoint: text("<id>"),
    dryRun: flag(),
    yes: flag(),
  },
  run: async ({ arguments: { id }, options, frame }) => {
    const { strings, output } = frame;
    const deletion = await planExecutionDeletion(frame, { id, checkpoint: options.checkpoint });
    const { document, question, wouldDelete, deleted } = textsOf(deletion, frame);
    if (options.dryRun) {
      output.answer({ ...document, changed: false }, () => [wouldDelete, strings.sessions.dryRun].join("\n"));
      return;
    }
    await requireConsent({ question, yes: options.yes ? "given" : "absent" }, frame);
    await deleteExecution(frame, deletion);
    output.answer({ ...document, changed: true }, () => deleted.join("\n"));
  },
});

function textsOf({ found, step }: ExecutionDeletion, { strings, common }: Frame) {
  const { executions: words } = strings;
  const session = found.view.id;
  if (step !== undefined) {
    const id = listedId(step.id);
    return {
      document: { deleted: step.id, execution: found.id, session },
      question: words.deleteCheckpointQuestion(id, oneLine(step.name)),
      wouldDelete: words.wouldDeleteCheckpoint(id),
      deleted: [words.checkpointDeleted(id)],
    };
  }
  const id = listedId(found.id);
  const steps = new Set(found.steps.map(({ index }) => index)).size;
  return {
    document: { deleted: found.id, session },
    question: words.deleteQuestion(id, steps),
    wouldDelete: words.wouldDelete(id),
    deleted: [words.deleted(id), words.bringBack(session, shellWording(common).command)],
  };
}
