import { mkdirSync } from "node:fs";
import { openStore } from "../../../src/open-store.ts";
import { Story } from "../../../src/testing/testing.ts";
import { startChild } from "./child.ts";

export interface ContendReport {
  readonly deaths: number;
  readonly acknowledged: number;
  readonly lost: number;
  readonly collisions: number;
  readonly damage: number;
}

const PROCESSES = 8;

/**
 * Eight processes compete for one session. About one holder in three kills itself, and a new process takes
 * its place.
 */
export async function contendToTheDeath(options: {
  readonly script: string;
  /** The store's address, and the folder in which the processes mark their presence for each other. */
  readonly store: string;
  readonly home: string;
  readonly deaths: number;
}): Promise<ContendReport> {
  const { script, home } = options;
  mkdirSync(home, { recursive: true });
  const story = new Story();
  const store = openStore(options.store, { home });
  await store.create(story.begin());
  const said: string[] = [];
  let deaths = 0;
  const work = async (name: string) => {
    while (deaths < options.deaths) {
      const child = startChild(script, [options.store, home, story.session, name, "4", "30"]);
      const code = await child.ended;
      if (code !== null && code !== 0) throw new Error(`${name} ended with code ${code}.`);
      // No exit code means that the process killed itself.
      if (code === null) deaths += 1;
      said.push(...child.lines);
    }
  };
  await Promise.all(Array.from({ length: PROCESSES }, (_, at) => work(`contender-${at}`)));
  const { outline } = await store.open(story.session);
  const there = new Set(outline.rows().map((row) => `entry ${row.seq} ${row.id}`));
  const acknowledged = said.filter((line) => line.startsWith("entry"));
  const damage = await store.verify(story.session);
  await store.close();
  return {
    deaths,
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((line) => !there.has(line)).length,
    collisions: said.filter((line) => line.startsWith("collision")).length,
    damage: damage.length,
  };
}
