import { describe, expect, it } from "vitest";
import { journeyEnds } from "../../../src/app/journeys/journey-ends.ts";
import { forkSession } from "../../../src/machine/journeys/fork.ts";
import { viewSession } from "../../../src/machine/open.ts";
import { requireCheckpoint } from "../../../src/travel/rewind.ts";
import { begin, openSessionDeps } from "../../machine/deps.ts";
import { turn } from "./open-workshop.ts";

/** A session in memory with two turns (from checkpoints 1 and 4) and a labeled checkpoint (7) at the end. */
async function played() {
  const deps = openSessionDeps();
  const session = await begin(deps);
  await turn(session, "first", () => undefined);
  await turn(session, "second", () => undefined);
  await session.checkpoint("done");
  return { deps, session };
}

describe("the ends of journeys", () => {
  it("name the branch that a journey left by its last prompt, and the checkpoints at both ends", async () => {
    const { session } = await played();
    await session.rewind({ to: 4, scope: "conversation" });
    await session.rewind({ to: 1, scope: "conversation" });
    const states = await session.journeys();
    const at = (number: number) => requireCheckpoint(session.outline, number).at;
    expect(await journeyEnds(session, states)).toEqual([
      {
        ...states[0],
        checkpoint: 7,
        place: { number: 7, at: at(7), text: "second", label: "done" },
        landed: 4,
        isNext: false,
      },
      {
        ...states[1],
        checkpoint: 4,
        place: { number: 4, at: at(4), text: "second", label: undefined },
        landed: 1,
        isNext: true,
      },
    ]);
  });

  it("of a redo are where the undone journey had started, and where the redo left", async () => {
    const { session } = await played();
    const { journey } = await session.rewind({ to: 4, scope: "conversation" });
    await session.redo({ wanted: journey });
    const [rewind, redo] = await journeyEnds(session, await session.journeys());
    expect(rewind).toMatchObject({ state: "undone", landed: 4, checkpoint: 7, isNext: false });
    expect(redo).toMatchObject({ state: "open", landed: 7, checkpoint: 4, isNext: false });
  });

  it("do not name a branch that is in another session", async () => {
    const { deps, session } = await played();
    await session.rewind({ to: 4, scope: "conversation" });
    const fork = await viewSession(deps.store, await forkSession(deps, session, {}));
    const states = await fork.journeys();
    expect(await journeyEnds(fork, states)).toEqual([{ ...states[0], landed: 4, isNext: true }]);
  });
});
