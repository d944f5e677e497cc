import { rmSync } from "node:fs";
import { join } from "node:path";
import type { ClaudePlace } from "../../support/claude/claude-place.ts";
import { type ClaudeKillOptions, type ClaudeKillOutcome, killStory } from "./killing.ts";

/** How many stories run in parallel, so that process start-up times overlap. */
const AT_ONCE = 2;
const WAYS: readonly ClaudeKillOptions["goOn"][] = ["prompt", "continue", "prompt", "retry"];

/** The results of killing a story many times. */
interface StoryKills {
  readonly stories: number;
  readonly killed: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly cut: number;
  readonly withOpenCalls: number;
  readonly subSessions: number;
  readonly ranAgain: number;
}

/** Kills the story at each of these points. Rejects at the first failed check. */
export async function killAt(
  program: string,
  place: ClaudePlace,
  points: readonly number[],
): Promise<StoryKills> {
  const outcomes: ClaudeKillOutcome[] = [];
  const queue = points.map((point, index) => ({ point, index }));
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { point, index } = next;
      const goOn = WAYS[index % WAYS.length] ?? "prompt";
      const name = `story-${index}`;
      try {
        outcomes.push(await killStory({ program, place, name, point, goOn }));
      } catch (error) {
        queue.length = 0;
        throw new Error(`killed at point ${point}, gone on with by ${goOn}`, { cause: error });
      }
      rmSync(join(place.folder, name), { recursive: true, force: true });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return reportOf(outcomes);
}

/** Plays the story to its end and returns the kind of the last entry before each of its points. */
export async function pointsOfStory(program: string, place: ClaudePlace): Promise<readonly string[]> {
  return (await killStory({ program, place, name: "whole", point: 0, goOn: "prompt" })).points;
}

function reportOf(outcomes: readonly ClaudeKillOutcome[]): StoryKills {
  const sum = (field: "acknowledged" | "lost" | "subSessions" | "ranAgain"): number =>
    outcomes.reduce((total, outcome) => total + outcome[field], 0);
  const cuts = outcomes.flatMap(({ told }) => (told.state === "cut" ? [told] : []));
  return {
    stories: outcomes.length,
    killed: outcomes.filter(({ died }) => died === "yes").length,
    acknowledged: sum("acknowledged"),
    lost: sum("lost"),
    cut: cuts.length,
    withOpenCalls: cuts.filter(({ open }) => open.length > 0).length,
    subSessions: sum("subSessions"),
    ranAgain: sum("ranAgain"),
  };
}
