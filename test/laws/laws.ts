import fc from "fast-check";
import { expect } from "vitest";
import { holdSession, viewSession } from "../../src/machine/open.ts";
import type { Session } from "../../src/machine/session.ts";
import type { SessionView } from "../../src/machine/view.ts";
import type { EntryId } from "../../src/record/ids.ts";
import { isJourney } from "../../src/timeline/row.ts";
import { type Action, story } from "./actions.ts";
import { expectWhole, type Head, headOf } from "./compare.ts";
import { Play } from "./play.ts";
import type { World } from "./worlds.ts";

/** How many runs a law gets: more under `npm run torture`. */
function runs(everyday: number): { numRuns: number; seed: number; endOnFailure?: boolean } {
  const torture = process.env["WORLDLINE_TORTURE"];
  if (torture === undefined || torture === "") return { numRuns: everyday, seed: 20_260_101 };
  const times = Number(torture) > 1 ? Number(torture) : 20;
  return { numRuns: everyday * times, seed: Date.now() % 2 ** 31 };
}

async function played(world: World, actions: readonly Action[]): Promise<Play> {
  const play = new Play(world);
  await play.begin();
  await play.play(actions);
  return play;
}

async function inWorld(open: () => World, work: (world: World) => Promise<void>): Promise<void> {
  const world = open();
  try {
    await work(world);
  } finally {
    await world.end();
  }
}

/**
 * After every action the session matches the model; and at the end, every head that was ever reached, in
 * every fork too, is still reachable and unchanged to the byte.
 */
export async function lawOfStories(open: () => World, everyday: number): Promise<void> {
  const law = fc.asyncProperty(story, async (actions) => {
    await inWorld(open, async (world) => {
      const play = await played(world, actions);
      await play.session.close();
      for (const [id, heads] of play.heads) {
        const view = await viewSession(world.deps.store, id);
        expect(view.damage).toEqual([]);
        expectWhole(view);
        for (const head of heads) expect(await headOf(view, view.outline.byId(head.id))).toEqual(head);
      }
    });
  });
  await fc.assert(law, runs(everyday));
}

/**
 * After a rewind to anywhere, redo brings back exactly the same branch and context: without an id
 * immediately, and by its id after new work, when there is nothing to redo without one.
 */
export async function lawOfRedo(open: () => World, everyday: number): Promise<void> {
  const law = fc.asyncProperty(story, fc.nat(), async (actions, pick) => {
    await inWorld(open, async (world) => {
      const { session, model } = await played(world, actions);
      const numbers = [...model.places.keys()].filter((number) => !model.isAt(number));
      const to = numbers[pick % Math.max(1, numbers.length)];
      if (to === undefined) return;
      const before = await headOf(session, session.outline.head);
      const { journey } = await session.rewind(to);
      await session.prompt("instead");
      const again = await world.reopen(session);
      await expect(again.redo()).rejects.toMatchObject({ code: "NOTHING_TO_REDO" });
      await again.redo(journey);
      await expectBack(again, before);
      const there = await headOf(again, again.outline.head);
      const { journey: second } = await again.rewind(to);
      expect(await again.redo()).toMatchObject({ undone: second });
      await expectBack(again, there);
    });
  });
  await fc.assert(law, runs(everyday));
}

async function expectBack(session: Session, before: Head): Promise<void> {
  const after = await headOf(session, session.outline.head);
  expect(after.context).toBe(before.context);
  expect(after.branch.slice(0, -1)).toEqual(before.branch);
}

/**
 * A damaged line costs only that line: it is missing from every branch that had it, and nothing else is. Heads without
 * it on their branch keep exactly the same context. Writing continues, and no checkpoint number is reused.
 */
export async function lawOfDamage(open: () => World, everyday: number): Promise<void> {
  const law = fc.asyncProperty(story, fc.nat(), async (actions, pick) => {
    await inWorld(open, async (world) => {
      const play = await played(world, actions);
      const { id } = play.session;
      await play.session.close();
      const before = await viewSession(world.deps.store, id);
      const lines = damageable(before);
      const lost = before.outline.at(lines[pick % Math.max(1, lines.length)] ?? 0);
      if (lost === undefined) return;
      await world.deps.store.close();
      world.damage(id, lost.seq);
      const after = await holdSession(world.deps, id, { name: "a story" });
      expect(after.outline.gaps).toEqual([lost.seq]);
      for (const head of play.heads.get(id) ?? []) await expectWithout(after, head, lost.id);
      expect(await after.checkpoint()).toBeGreaterThan(play.model.highest);
      await after.prompt("still here");
      await after.close();
    });
  });
  await fc.assert(law, runs(everyday));
}

/**
 * Any line but the first, which has a copy elsewhere. A journey that another journey landed on is excluded, because
 * only its own line says where it had landed.
 */
function damageable(view: SessionView): number[] {
  const rows = view.outline.rows();
  const landings = new Set(rows.filter((row) => isJourney(row.kind)).map((row) => row.parent));
  return rows
    .filter((row) => row.seq > 1 && !(isJourney(row.kind) && landings.has(row.seq)))
    .map((row) => row.seq);
}

async function expectWithout(view: SessionView, head: Head, lost: EntryId): Promise<void> {
  if (head.id === lost) return;
  const now = await headOf(view, view.outline.byId(head.id));
  expect(now.branch).toEqual(head.branch.filter((id) => id !== lost));
  if (!head.branch.includes(lost)) expect(now.context).toBe(head.context);
}
