import { describe, it } from "vitest";
import { lawOfDamage, lawOfRedo, lawOfStories } from "./laws.ts";
import { filesWorld, memoryWorld } from "./worlds.ts";

describe.each([
  ["in memory", memoryWorld, 150],
  ["in files", filesWorld, 25],
] as const)("a random story %s", (_where, world, everyday) => {
  it("law: branch, context and numbers are what a simple model says, and every head ever reached stays", async () => {
    await lawOfStories(world, everyday);
  });

  it("law: a redo after a rewind restores the very same context", async () => {
    await lawOfRedo(world, Math.ceil(everyday / 3));
  });

  it("law: a damaged line costs that line", async () => {
    await lawOfDamage(world, Math.ceil(everyday / 2));
  });
});
