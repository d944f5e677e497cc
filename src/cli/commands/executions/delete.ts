import { type FoundExecution, listedId, requireExecution } from "../../../app/executions.ts";
import { openSessionDeps, openStore } from "../../../app/sessions/store.ts";
import { systemClock } from "../../../disk/system-clock.ts";
import type { StepCheckpoint } from "../../../executions/execution.ts";
import { checkpointNotFound } from "../../../executions/execution-error.ts";
import { holdExecution } from "../../../executions/hold-execution.ts";
import { checkpointNamed } from "../../../executions/step-records.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import { WorldlineError } from "../../../record/error.ts";
import { oneLine } from "../../../record/visible-text.ts";
import { requireConsent } from "../../ask.ts";
import { defineCommand, flag, required, text } from "../../command.ts";
import { shellWording } from "../../command-again.ts";
import type { Frame } from "../../frame.ts";

export const deleteExecution = defineCommand({
  help: (help) => help.executionsDelete,
  arguments: { id: required() },
  options: {
    checkpoint: text("<id>"),
    dryRun: flag(),
    yes: flag(),
  },
  run: async ({ arguments: { id }, options, frame }) => {
    const store = openStore(frame);
    const found = await requireExecution(frame, store, { text: id, naming: "whole" });
    if (found.begins !== undefined) throw partOfSession(found);
    if (options.checkpoint !== undefined)
      return deleteOne(frame, found, { ...options, checkpoint: options.checkpoint });
    const { strings, output } = frame;
    const words = strings.executions;
    const document = { deleted: found.id, session: found.view.id };
    if (options.dryRun) {
      output.answer({ ...document, changed: false }, () =>
        [words.wouldDelete(listedId(found.id)), strings.sessions.dryRun].join("\n"),
      );
      return;
    }
    const steps = new Set(found.steps.map(({ index }) => index)).size;
    const question = words.deleteQuestion(listedId(found.id), steps);
    await requireConsent({ question, yes: options.yes ? "given" : "absent" }, frame);
    await moveToTrash(frame, store, found);
    output.answer({ ...document, changed: true }, () =>
      [
        words.deleted(listedId(found.id)),
        words.bringBack(found.view.id, shellWording(frame.common).command),
      ].join("\n"),
    );
  },
});

interface DeleteOneOptions {
  readonly checkpoint: string;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

async function deleteOne(
  frame: Frame,
  found: FoundExecution,
  { checkpoint, dryRun, yes }: DeleteOneOptions,
): Promise<void> {
  const { strings, output, common } = frame;
  const words = strings.executions;
  const { id, name } = requireStep(found, checkpoint);
  const document = { deleted: id, execution: found.id, session: found.view.id };
  if (dryRun) {
    output.answer({ ...document, changed: false }, () =>
      [words.wouldDeleteCheckpoint(listedId(id)), strings.sessions.dryRun].join("\n"),
    );
    return;
  }
  const question = words.deleteCheckpointQuestion(listedId(id), oneLine(name));
  await requireConsent({ question, yes: yes ? "given" : "absent" }, frame);
  const { takeOver } = common;
  const holding = { name: "worldline executions delete", waitMs: 0, takeOver };
  const execution = await holdExecution(await openSessionDeps(frame), found.view.header, holding);
  try {
    if (!(await execution.deleteCheckpoint(id))) throw checkpointNotFound(id, []);
  } finally {
    await execution.close();
  }
  output.answer({ ...document, changed: true }, () => words.checkpointDeleted(listedId(id)));
}

function requireStep({ id, steps }: FoundExecution, wanted: string): StepCheckpoint {
  const named = checkpointNamed(id, wanted);
  const attempts = steps.filter(({ index }) => index === named?.index);
  const step =
    named?.attempt === undefined
      ? (attempts.findLast(({ branch }) => branch === "here") ?? attempts.at(-1))
      : attempts.find(({ attempt }) => attempt === named.attempt);
  if (step !== undefined) return step;
  throw checkpointNotFound(
    wanted,
    steps.map((each) => each.id),
  );
}

async function moveToTrash({ common }: Frame, store: LogStore, { view }: FoundExecution): Promise<void> {
  const { takeOver } = common;
  const lease = await store.lease(view.id, {
    name: "worldline executions delete",
    waitMs: 0,
    takeOver,
    room: "reserve",
  });
  try {
    await store.trash(view.id, systemClock.now());
  } finally {
    await lease.release();
  }
}

function partOfSession({ id, view }: FoundExecution): WorldlineError {
  return new WorldlineError("execution-part-of-session", { execution: id, session: view.id });
}
