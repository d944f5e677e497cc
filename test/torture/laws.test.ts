import { describe, it } from "vitest";
import { lawOfDamage, lawOfRedo, lawOfStories } from "../laws/laws.ts";
import { filesWorld, memoryWorld } from "../laws/worlds.ts";

describe.each([
  ["in memory", memoryWorld, 300],
  ["in files", filesWorld, 100],
] as const)("thousands of random stories %s", (_where, world, everyday) => {
  it("law: branch, context and numbers are what a simple model says, and every head ever reached stays", async () => {
    await lawOfStories(world, everyday);
  });

  it("law: a redo after a rewind restores the very same context", async () => {
    await lawOfRedo(world, everyday);
  });

  it("law: a damaged line costs that line", async () => {
    await lawOfDamage(world, everyday);
  });
});
