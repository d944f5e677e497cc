import { describe, expect, it } from "vitest";
import { type CollectRequest, collectStore, isSound, storeUsage, verifyStore } from "../../src/app/store.ts";
import { workshop } from "../cli/support/workshop.ts";
import { contextAt } from "./support/context-at.ts";

const LIMIT = 1024 * 1024;

/** A store with the files of two checkpoints, of which the limit allows only one. */
async function filled() {
  const place = workshop();
  for (const text of ["a", "b"]) {
    let state = text.charCodeAt(0);
    const bytes = Uint8Array.from({ length: 900_000 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      return state >>> 24;
    });
    place.put("noise.bin", bytes);
    await place.worldline("checkpoint");
  }
  const settings = { "snapshots.maxBytes": `${LIMIT}`, checkpointKeepCount: "1" };
  return { ...place, ...contextAt(place, { common: { settings } }) };
}

const collect = (answer: "yes" | "no", seen: unknown[] = []): CollectRequest => ({
  damaged: "keep",
  confirm: async (plan, limit) => {
    seen.push({ plan, limit });
    return answer;
  },
});

describe("the store of files", () => {
  it("has no results if nothing was ever stored, and is not created", async () => {
    const place = workshop();
    const { context } = contextAt(place);
    expect((await storeUsage(context)).usage).toBeUndefined();
    expect(await verifyStore(context)).toBeUndefined();
    expect(await collectStore(context, collect("yes"))).toBeUndefined();
    expect(place.files(place.root)).toEqual({ workspace: "/" });
  });

  it("names what takes up space, and the limit of the settings", async () => {
    const { context, workspace } = await filled();
    expect(await storeUsage(context)).toMatchObject({
      usage: { workspaces: [{ workspace, snapshots: 2 }], damaged: [] },
      limit: LIMIT,
    });
  });

  it("is verified with progress, and is sound if nothing is damaged", async () => {
    const { context, progress } = await filled();
    const verified = await verifyStore(context);
    expect(verified !== undefined && isSound(verified)).toBe(true);
    expect(progress).toContainEqual({
      doing: "verify",
      phase: "walking",
      done: expect.any(Number),
      of: expect.any(Number),
    });
    expect(progress.at(-1)).toBe("done");
    const one = [{}] as never;
    for (const damage of [{ problems: one }, { damage: one }, { refDamage: one }])
      expect(isSound({ ...(verified ?? expect.unreachable()), ...damage })).toBe(false);
  });

  it("releases the files of old checkpoints only once the user has confirmed the plan", async () => {
    const { context, progress, data } = await filled();
    const seen: unknown[] = [];
    const request = collect("no", seen);
    const kept = await collectStore(context, {
      ...request,
      confirm: async (plan, limit) => {
        expect(progress.at(-1)).toBe("done");
        return request.confirm(plan, limit);
      },
    });
    expect(seen).toEqual([{ plan: kept?.plan, limit: LIMIT }]);
    expect(kept).toEqual({
      plan: expect.objectContaining({ release: [expect.anything()] }),
      done: undefined,
      limit: LIMIT,
    });
    const states = async () =>
      (await data("checkpoints")).checkpoints.map(({ files }: { files: { state: string } }) => files.state);
    expect(await states()).toEqual(["complete", "complete"]);
    progress.length = 0;
    const collected = await collectStore(context, collect("yes"));
    expect(collected?.done).toBeDefined();
    expect(progress).toContainEqual({ doing: "collect", done: expect.any(Number), of: expect.any(Number) });
    expect(progress.at(-1)).toBe("done");
    expect(await states()).toEqual(["complete", "gone"]);
  });
});
