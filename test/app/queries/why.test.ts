import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { whyOf } from "../../../src/app/queries/why.ts";
import { frameOf } from "../../cli/support/frame-of.ts";
import { workshop } from "../../cli/support/workshop.ts";

describe("what is known about a path", () => {
  it("is its state and its changes, as of the newest snapshot", async () => {
    const shop = workshop();
    shop.put("a.txt", "1\n");
    await shop.worldline("checkpoint");
    shop.put("a.txt", "22\n");
    await shop.worldline("checkpoint");
    expect(await why(shop, "a.txt")).toMatchObject({
      path: "a.txt",
      coverage: "captured",
      state: { kind: "file", size: 3 },
      ignored: "no",
      asOf: { checkpoint: 2 },
      changes: [
        { what: "changed", checkpoint: 2 },
        { what: "created", checkpoint: 1 },
      ],
    });
    shop.put("b.txt", "1\n");
    expect(await why(shop, "b.txt")).toMatchObject({ coverage: "new", changes: [] });
    expect(await why(shop, "c.txt")).toMatchObject({ coverage: "absent" });
  });

  it("is the folder above it that is left out", async () => {
    const shop = workshop();
    mkdirSync(join(shop.workspace, "node_modules", "p"), { recursive: true });
    shop.put("node_modules/p/index.js", "1\n");
    await shop.worldline("checkpoint");
    const verdict = await why(shop, "node_modules/p/index.js");
    expect(verdict).toMatchObject({
      path: "node_modules/p/index.js",
      coverage: "left-out",
      leftOut: { path: "node_modules" },
    });
    expect(verdict.state).toBeUndefined();
  });

  it("is unknown before the first snapshot", async () => {
    expect(await why(workshop(), "a.txt")).toEqual({ path: "a.txt", coverage: "unknown", changes: [] });
  });
});

async function why(shop: ReturnType<typeof workshop>, path: string) {
  return whyOf(frameOf(shop), path);
}
