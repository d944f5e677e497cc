import { once } from "node:events";
import type { SessionId } from "../../src/record/ids.ts";
import { openSessionOn, type Stage } from "../stage.ts";
import { type Difference, differences, type Survey } from "../survey.ts";
import { type Damage, inflict } from "./damages.ts";
import type { TrialContext } from "./trial.ts";

export interface Kills {
  readonly made: number;
  /** The number of kills that interrupted a restore, which the next program then finished. */
  readonly landed: number;
  /** Paths that match neither the state before nor the state after. */
  readonly torn: readonly Difference[];
  /** The reason if the kills could not be tried. */
  readonly failure?: string;
}

export interface KillRequest {
  readonly count: number;
  readonly random: (below: number) => number;
  readonly base: Survey;
  readonly onKill: (index: number) => void;
  readonly signal: AbortSignal;
}

/** Damage to so many files that the restore takes long enough to be killed. */
const WRECK: Pick<Damage, "script"> = {
  script: `xargs -0 rm -f --
mkdir "$SAMPLE/wreck" && cd "$SAMPLE/wreck" && i=0
while [ $i -lt 400 ]; do printf $i > f$i; i=$((i+1)); done`,
};

/**
 * Starts a restore in another process, kills that process halfway, and checks that the next program finds either the
 * state before the restore or the state after it. Closes the session of `context` first.
 */
export async function killRestores(context: TrialContext, request: KillRequest): Promise<Kills> {
  const { stage, held, surveyor, targets, sample } = context;
  const { workspace, scratch } = stage;
  const { session } = held;
  const before = await session.checkpoint();
  const failure = await inflict({ ...WRECK, targets: [], workspace, sample, scratch, input: targets.files });
  const wreck = await surveyor.survey();
  const after = await session.checkpoint(undefined, { author: "timeline" });
  await held.close();
  const places = [
    { number: before, survey: request.base },
    { number: after, survey: wreck },
  ] as const;
  let at: 0 | 1 = 1;
  let landed = 0;
  if (failure !== undefined) return { made: 0, landed, torn: [], failure };
  for (let index = 0; index < request.count && !request.signal.aborted; index += 1) {
    request.onKill(index);
    const target: 0 | 1 = at === 1 ? 0 : 1;
    await killOne(stage, session.id, { to: places[target].number, index, random: request.random });
    if ((await settle(stage, session.id)) === "cut-off") landed += 1;
    const found = await surveyor.survey();
    const torn = differences(places[target].survey, found);
    if (torn.length === 0) at = target;
    else if (differences(places[at].survey, found).length > 0) return { made: index + 1, landed, torn };
  }
  if (at === 1) await goTo(stage, session.id, places[0].number);
  return { made: request.count, landed, torn: differences(request.base, await surveyor.survey()) };
}

/** Acts as the next program: opening the session finishes an interrupted restore. */
async function settle(stage: Stage, id: SessionId): Promise<"cut-off" | "whole"> {
  const { session, close } = await openSessionOn(stage, id);
  const { restores, trouble } = session.settled;
  await close();
  if (trouble !== undefined) throw trouble;
  return restores.length > 0 ? "cut-off" : "whole";
}

async function goTo(stage: Stage, id: SessionId, to: number): Promise<void> {
  const { session, close } = await openSessionOn(stage, id);
  await session.rewind({ to, scope: "files", choice: "take", author: "timeline" });
  await close();
}

interface OneKill {
  readonly to: number;
  readonly index: number;
  readonly random: KillRequest["random"];
}

const PARTS = 1_000;
const LATEST_MS = 30;

/** Half of the processes kill themselves at a path; the other half are killed after a random time. */
async function killOne(
  { home, workspace }: Stage,
  session: SessionId,
  { to, index, random }: OneKill,
): Promise<void> {
  const { startUntilKilled } = await import("../until-killed.ts");
  const killsItself = index % 2 === 0;
  const rewinding = {
    home,
    workspace,
    session,
    to,
    ...(killsItself ? { at: random(PARTS) / PARTS } : {}),
  };
  const child = startUntilKilled({ does: "rewindUntilKilled", with: rewinding });
  const closed = once(child, "close");
  child.stdout.once("data", () => {
    if (!killsItself) setTimeout(() => child.kill("SIGKILL"), random(LATEST_MS));
  });
  await closed;
}
