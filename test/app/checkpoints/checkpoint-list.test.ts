import { describe, expect, it } from "vitest";
import {
  checkpointMenu,
  chosenCheckpoint,
  listCheckpoints,
} from "../../../src/app/checkpoints/checkpoint-list.ts";
import { makeCheckpoint } from "../../../src/app/checkpoints/make-checkpoint.ts";
import { frameOf } from "../../cli/support/frame-of.ts";
import { agentWorks, workshop } from "../../cli/support/workshop.ts";

/** A workspace with its own session, which has one checkpoint, and a newer session of an agent, which has another. */
async function worked() {
  const shop = workshop();
  shop.put("a.txt", "one\n");
  const { session: own } = await makeCheckpoint(frameOf(shop), "own", "test");
  const agent = await agentWorks(shop, () => shop.put("a.txt", "two\n"), "new");
  return { frame: frameOf(shop), own, agent };
}

describe("the list of checkpoints", () => {
  it("has those of the latest session, with their files, and those of the others on request", async () => {
    const { frame, own, agent } = await worked();
    const one = await listCheckpoints(frame, { sessions: "one", steps: "hidden" });
    expect(one.session?.id).toBe(agent);
    expect(one.checkpoints.map(({ view }) => view.id)).toEqual(one.checkpoints.map(() => agent));
    const all = await listCheckpoints(frame, { sessions: "all", steps: "hidden" });
    expect(all).toMatchObject({ all: one.all + 1 });
    expect(all.checkpoints.at(-1)).toMatchObject({
      view: { id: own },
      checkpoint: { number: 1, label: "own" },
      files: { state: "complete" },
    });
  });

  it("is a menu of all sessions, from which the user chooses", async () => {
    const { frame, own } = await worked();
    const { checkpoints, executions } = await checkpointMenu(frame, { in: "command-line" });
    expect(executions).toEqual([]);
    const last = checkpoints.at(-1);
    expect(last && chosenCheckpoint(last)).toMatchObject({ view: { id: own }, row: { number: 1 } });
  });

  it("is not a menu if there is nothing to choose", async () => {
    const menu = checkpointMenu(frameOf(workshop()), { in: "command-line" });
    await expect(menu).rejects.toMatchObject({ reason: "no-checkpoints-yet" });
  });
});
