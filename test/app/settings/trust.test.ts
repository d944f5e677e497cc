import { describe, expect, it } from "vitest";
import {
  trustShown,
  trustWorkspace,
  untrustedIn,
  untrustWorkspace,
} from "../../../src/app/settings/trust.ts";
import { playground } from "../../cli/support/command-line.ts";
import { frameOf } from "../../cli/support/frame-of.ts";

describe("trusting a workspace", () => {
  it("trusts its present configuration, until the trust is withdrawn", async () => {
    const place = playground();
    place.write("workspace", '{ "compaction": { "keep": 5 } }');
    expect(await trustWorkspace(frameOf(place))).toEqual({
      outcome: "trusted",
      files: [place.files.workspace],
    });
    expect(await untrustedIn(frameOf(place), "native")).toBeUndefined();
    expect(await untrustWorkspace(frameOf(place))).toBe("untrusted");
    expect(await untrustWorkspace(frameOf(place))).toBe("unchanged");
    expect(await untrustedIn(frameOf(place), "native")).toMatchObject({ what: ["compaction.keep: 5"] });
  });

  it("trusts what the user was shown, and nothing else", async () => {
    const place = playground();
    place.write("workspace", '{ "compaction": { "keep": 5 } }');
    const shown = await untrustedIn(frameOf(place), "native");
    if (shown === undefined) throw new Error("there is nothing to trust");
    place.write("workspace", '{ "compaction": { "keep": 6 } }');
    const before = place.everything();
    expect(await trustShown(frameOf(place), shown)).toBe("changed");
    expect(place.everything()).toEqual(before);
    place.write("workspace", '{ "compaction": { "keep": 5 } }');
    expect(await trustShown(frameOf(place), shown)).toBe("trusted");
  });

  it("creates nothing if there is nothing to trust", async () => {
    const place = playground();
    const before = place.everything();
    expect(await trustWorkspace(frameOf(place))).toEqual({ outcome: "nothing-to-trust", files: [] });
    expect(place.everything()).toEqual(before);
  });
});
