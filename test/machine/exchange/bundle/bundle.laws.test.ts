import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { importBundle } from "../../../../src/machine/exchange/bundle/import-bundle.ts";
import { viewSession } from "../../../../src/machine/open.ts";
import type { SessionId } from "../../../../src/record/ids.ts";
import {
  arrived,
  begin,
  bundleOf,
  codeOf,
  events,
  filesPlace,
  linesOf,
  live,
  memoryPlace,
  type Place,
} from "../support.ts";

const word = fc.string({ unit: "binary", maxLength: 150 });

async function randomSession(place: Place, story: Parameters<typeof live>[1]): Promise<SessionId> {
  const session = await begin(place.deps);
  await live(session, story);
  return session.id;
}

describe("bundles", () => {
  it("law: whatever happened in a session, its bundle brings in the same log and the same context", async () => {
    const to = filesPlace();
    await fc.assert(
      fc.asyncProperty(events(word), async (story) => {
        const from = memoryPlace();
        const id = await randomSession(from, story);
        const result = await importBundle(to.deps, await bundleOf(from.deps.store, id));
        expect(result.status).toBe("imported");
        expect(await linesOf(to.deps.store, id)).toEqual(
          arrived(await linesOf(from.deps.store, id), to.deps.clock),
        );
        const here = await viewSession(to.deps.store, id);
        expect(await here.context()).toEqual(await (await viewSession(from.deps.store, id)).context());
      }),
      { numRuns: 60 },
    );
    await to.close();
  });

  it("law: a bundle with any byte changed, or cut anywhere, is refused, and nothing is made", async () => {
    const from = memoryPlace();
    const { deps } = memoryPlace();
    const story = [
      { do: "prompt", text: "find it" },
      { do: "tool", text: "x".repeat(100), key: "content" },
      { do: "rewind", at: 0 },
    ] as const;
    const bundle = await bundleOf(from.deps.store, await randomSession(from, story));
    for (let at = 0; at < bundle.length; at += 1) {
      const flipped = Buffer.from(bundle);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
      expect(await codeOf(importBundle(deps, flipped)), `byte ${at}`).toBe("BUNDLE_INVALID");
      expect(await codeOf(importBundle(deps, bundle.subarray(0, at))), `cut at ${at}`).toBe("BUNDLE_INVALID");
    }
    expect(await codeOf(importBundle(deps, Buffer.concat([bundle, Buffer.from("x")])))).toBe(
      "BUNDLE_INVALID",
    );
    expect(await deps.store.list()).toEqual([]);
    expect(await codeOf(importBundle(deps, bundle))).toBe("done");
  });
});
