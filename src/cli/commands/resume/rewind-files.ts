import { BackgroundCommands } from "../../../agent/tools/bash/bash.ts";
import { openGround } from "../../../app/sessions/ground.ts";
import { withHeld } from "../../../app/sessions/hold.ts";
import { sdkProcesses } from "../../../hosts/claude-agent-sdk/sdk/process.ts";
import { filesAt } from "../../../machine/files/files-at.ts";
import type { SessionView } from "../../../machine/view.ts";
import { WorldlineError } from "../../../record/error.ts";
import { branchOf } from "../../../timeline/branch.ts";
import type { TurnState } from "../../../timeline/turn-state.ts";
import type { Frame } from "../../command/frame.ts";
import type { ExitCode } from "../../exit.ts";

export interface FilesToRewind {
  readonly view: SessionView;
  readonly turn: TurnState;
  readonly yes: "yes" | "no";
}

/**
 * Takes the files back to before the step that was cut: the rewind that the person could have typed. What the killed run
 * left running is ended first: it would go on changing what is taken back.
 */
export async function rewindFiles(frame: Frame, { view, turn, yes }: FilesToRewind): Promise<ExitCode> {
  if (turn.state === "idle" || turn.step === 0) throw noStep();
  if (!(await isCaptured(view, turn.step))) throw await notCaptured(view, turn.step);
  await endLeftovers(frame, view);
  const { rewind } = await import("../journeys/rewind.ts");
  const code = await rewind.run?.({
    arguments: { cp: `${view.id}:${turn.step}` },
    options: {
      ...{ scope: "files", only: [], keep: false, take: false, merge: false },
      ...{ dryRun: false, yes: yes === "yes" },
    },
    // The checkpoint names its session; two names for one would be compared.
    frame: { ...frame, common: { ...frame.common, session: undefined } },
  });
  return code ?? 0;
}

/** Held meanwhile, so that nobody's but a killed run's are ended. */
async function endLeftovers(frame: Frame, { id }: SessionView): Promise<void> {
  const all = [new BackgroundCommands(id), sdkProcesses(id)];
  if (all.every((each) => each.leftovers().length === 0)) return;
  const hold = { context: frame, ground: await openGround(frame), session: id, name: "worldline resume" };
  const ended = await withHeld(hold, async () => Promise.all(all.map(async (each) => each.endLeftovers())));
  if (ended.flat().length > 0) frame.output.warn(frame.strings.resume.ended(ended.flat()));
}

async function isCaptured(view: SessionView, checkpoint: number): Promise<boolean> {
  const { state } = await filesAt(view, undefined, checkpoint);
  return state === "complete" || state === "partial";
}

/** A step may begin before the capture of its files is done. An older state is offered, never taken in its place. */
async function notCaptured(view: SessionView, step: number): Promise<WorldlineError> {
  const earlier = branchOf(view.outline).filter(
    ({ kind, number }) => (kind === "checkpoint" || kind === "step") && number < step,
  );
  let older: number | undefined;
  for (const { number } of earlier.toReversed()) {
    older ??= (await isCaptured(view, number)) ? number : undefined;
  }
  return new WorldlineError("files-before-step-not-captured", {
    session: view.id,
    step,
    ...(older === undefined ? {} : { older }),
  });
}

function noStep(): WorldlineError {
  return new WorldlineError("no-step-was-cut", {});
}
