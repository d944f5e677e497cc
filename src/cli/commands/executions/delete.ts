import { systemClock } from "../../../disk/system-clock.ts";
import type { LogStore } from "../../../ports/log-store.ts";
import { WorldlineError } from "../../../record/error.ts";
import { defineCommand } from "../../command/command.ts";
import type { Frame } from "../../command/frame.ts";
import { flag, required } from "../../command/parameters.ts";
import { requireConsent } from "../../confirm.ts";
import { hintAgain } from "../../places/command-again.ts";
import { openStore } from "../../timeline/ground.ts";
import { type FoundExecution, requireExecution } from "./find-execution.ts";
import { listedId } from "./shown-id.ts";

export const deleteExecution = defineCommand({
  description:
    "Moves the execution of a program with all its steps to the trash, where it is kept for trash.days days (30). A program " +
    "that is started again under that id begins anew. One that a program holds is not deleted. Files stay as they are.",
  arguments: { id: required("the whole id of the execution") },
  options: {
    dryRun: flag("show what would happen, and change nothing"),
    yes: flag("do not ask"),
  },
  examples: [
    { command: "worldline executions delete exec-123", meaning: "asks first" },
    { command: "worldline executions delete exec-123 --yes", meaning: "for a script" },
  ],
  run: async ({ arguments: { id }, options, frame }) => {
    const store = openStore(frame);
    const found = await requireExecution(frame, store, { text: id, naming: "whole" });
    if (found.begins !== undefined) throw partOfSession(found);
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
      [words.deleted(listedId(found.id)), hintAgain(frame.common, words.bringBack(found.view.id))].join("\n"),
    );
  },
});

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
  return new WorldlineError("INPUT_INVALID", `${id} is part of its session, and cannot be deleted alone.`, {
    hint: `Delete the session: worldline sessions delete ${view.id}`,
  });
}
