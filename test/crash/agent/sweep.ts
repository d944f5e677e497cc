import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Wire } from "../../../src/testing/model-server/script.ts";
import { ManualClock } from "../../../src/testing/testing.ts";
import { type KillOptions, type KillOutcome, killTurn, type TurnPoints } from "./killing.ts";
import type { TurnName } from "./script.ts";

/** How many turns run in parallel, so that process start-up times overlap. */
const AT_ONCE = 2;
const WIRES: readonly Wire[] = ["anthropic", "chat", "responses", "ollama"];
/** One in this many cut turns is resumed with "retry"; the others continue where they were cut. */
const RETRY_OF = 5;

/** The results of killing many turns. */
export interface KillsReport {
  readonly turns: number;
  readonly killed: number;
  readonly acknowledged: number;
  readonly lost: number;
  /** Turns cut before the first model call, during a reply, or during tool calls. */
  readonly cutBefore: number;
  readonly cutReplying: number;
  readonly cutInTools: number;
  /** How many of those turns had calls that had started and not ended. */
  readonly withOpenCalls: number;
  readonly subSessions: number;
  readonly ranAgain: number;
}

export interface SweepOptions {
  readonly script: string;
  readonly folder: string;
  /** Gives each run its own store; by default, files in its folder. */
  readonly storeIn?: (folder: string) => Promise<string>;
  readonly turn: TurnName;
  readonly kills: readonly KillOptions["at"][];
}

/** Kills the turn at each of these moments, rotating through all wires. Rejects at the first failed check. */
export async function sweep(request: SweepOptions): Promise<KillsReport> {
  const { script, folder, turn, kills } = request;
  const outcomes: KillOutcome[] = [];
  const queue = kills.map((at, index) => ({ at, index }));
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { at, index } = next;
      const own = join(folder, `${turn}-${index}`);
      const wire = WIRES[index % WIRES.length] ?? "anthropic";
      const resume = index % RETRY_OF === RETRY_OF - 1 ? "retry" : "continue";
      try {
        const store = await ownStore(request, own);
        outcomes.push(await killTurn({ script, folder: own, store, turn, wire, resume, at }));
      } catch (error) {
        queue.length = 0;
        const moment = JSON.stringify(at);
        throw new Error(`"${turn}" over ${wire}, killed at ${moment}, ${resume}`, { cause: error });
      }
      rmSync(own, { recursive: true, force: true });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return reportOf(outcomes);
}

export async function pointsOfTurn(request: Omit<SweepOptions, "kills">): Promise<TurnPoints> {
  const { script, turn } = request;
  const folder = join(request.folder, `${turn}-whole`);
  const store = await ownStore(request, folder);
  const untilItsEnd = { wire: "anthropic", resume: "continue", at: { point: 0 } } as const;
  return (await killTurn({ script, folder, store, turn, ...untilItsEnd })).points;
}

async function ownStore(
  { storeIn = async () => "files" }: Pick<SweepOptions, "storeIn">,
  folder: string,
): Promise<string> {
  mkdirSync(folder, { recursive: true });
  return storeIn(folder);
}

/** Samples `count` points, one from each equal stretch. */
export function sampleOf(
  points: readonly number[],
  count: number,
  seed: number,
): readonly KillOptions["at"][] {
  const dice = new ManualClock({ seed });
  const stretch = points.length / count;
  return Array.from({ length: Math.min(count, points.length) }, (_, at) => {
    const from = Math.floor(at * stretch);
    return { point: points[from + dice.below(Math.max(1, Math.floor(stretch)))] ?? 1 };
  });
}

/** Random moments: a random number of acknowledged lines, plus a short random delay. */
export function momentsOf(count: number, mostLines: number, seed: number): readonly KillOptions["at"][] {
  const dice = new ManualClock({ seed });
  return Array.from({ length: count }, () => ({
    lines: dice.below(mostLines),
    milliseconds: dice.below(MAX_LATER_MS),
  }));
}

const MAX_LATER_MS = 12;

function reportOf(outcomes: readonly KillOutcome[]): KillsReport {
  const sum = (field: "acknowledged" | "lost" | "subSessions" | "ranAgain"): number =>
    outcomes.reduce((total, outcome) => total + outcome[field], 0);
  const cuts = outcomes.flatMap(({ told }) => (told.state === "cut" ? [told] : []));
  const cutWhile = (wanted: string): number => cuts.filter((told) => told.while === wanted).length;
  return {
    turns: outcomes.length,
    killed: outcomes.filter(({ died }) => died === "yes").length,
    acknowledged: sum("acknowledged"),
    lost: sum("lost"),
    cutBefore: cutWhile("before-first-step"),
    cutReplying: cutWhile("replying"),
    cutInTools: cutWhile("tools"),
    withOpenCalls: cuts.filter(({ open }) => open.length > 0).length,
    subSessions: sum("subSessions"),
    ranAgain: sum("ranAgain"),
  };
}
