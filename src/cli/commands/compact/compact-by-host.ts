import { cutOf } from "../../../agent/compaction/policy.ts";
import { openAgent } from "../../../app/agent/open-agent.ts";
import { KEPT_BY_SDK } from "../../../hosts/claude-agent-sdk/turn/compaction.ts";
import type { SessionView } from "../../../machine/view.ts";
import type { CompactionTold } from "../../../ports/agent-events.ts";
import { WorldlineError } from "../../../record/error.ts";
import type { Frame } from "../../command/frame.ts";
import { openProgress } from "../../output/progress.ts";
import { printPerson } from "../agent/print/print-person.ts";

export interface HostCompaction {
  readonly focus: string;
  readonly dryRun: "yes" | "no";
  /** The SDK's name of the model that is to write the summary. */
  readonly model?: string;
}

/** The conversation is the Claude Agent SDK's, so it has to make the summary: it would not know of ours. */
export async function compactByHost(
  frame: Frame,
  view: SessionView,
  { focus, dryRun, model: wanted }: HostCompaction,
): Promise<void> {
  if (dryRun === "yes") throw new WorldlineError("compaction-not-foreseen", {});
  // The same as the agent decides, before a process is started for it.
  if ((await cutOf(view, KEPT_BY_SDK)) === undefined)
    throw new WorldlineError("nothing-to-compact", { kept: KEPT_BY_SDK });
  const told = await compacted(frame, view, { focus: focus === "" ? undefined : focus, model: wanted });
  if (told.outcome !== "done") {
    throw new WorldlineError("compaction-failed", { code: "MODEL_FAILED", why: told.why });
  }
  const { before, after, model } = told;
  const { compact: words } = frame.strings;
  frame.output.answer(
    { session: view.id, changed: true, tokensBefore: before, tokensAfter: after, model },
    () => [words.done(before, after, model), words.nothingLost].join("\n"),
  );
}

async function compacted(
  frame: Frame,
  view: SessionView,
  { focus, model }: { readonly focus: string | undefined; readonly model: string | undefined },
): Promise<CompactionTold> {
  const { surroundings, strings } = frame;
  const opened = await openAgent(
    frame,
    {
      ...{ print: "yes", outputFormat: "text", allow: [], deny: [], fork: "no", keepSession: "yes" },
      host: "claude",
      ...(model === undefined ? {} : { model }),
      resume: { how: "resume", wanted: view.id },
    },
    printPerson(() => undefined),
  );
  const { agent } = opened;
  const release = surroundings.onInterrupt(() => void agent.interrupt());
  const progress = openProgress(frame);
  progress.show(strings.compact.asking(agent.model));
  try {
    return await agent.compact(focus);
  } finally {
    progress.clear();
    release();
    await opened.close();
  }
}
