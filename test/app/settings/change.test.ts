import { describe, expect, it } from "vitest";
import { changeSetting } from "../../../src/app/settings/change.ts";
import { playground } from "../../cli/support/command-line.ts";
import { frameOf } from "../../cli/support/frame-of.ts";

describe("a changed setting", () => {
  it("takes effect, and is written once", async () => {
    const place = playground();
    const change = { where: "user", key: "trash.days", value: 5 } as const;
    const source = { layer: "user", file: place.files.user, line: 3, column: 5 };
    expect(await changeSetting(frameOf(place), change)).toEqual({
      file: place.files.user,
      outcome: "written",
      effect: { state: "counts", value: 5, source },
    });
    expect((await changeSetting(frameOf(place), change)).outcome).toBe("unchanged");
  });

  it("is overridden by a stronger layer, which is named", async () => {
    const place = playground();
    const frame = frameOf(place, { environment: { WORLDLINE_TRASH_DAYS: "7" } });
    expect(await changeSetting(frame, { where: "user", key: "trash.days", value: 5 })).toMatchObject({
      effect: {
        state: "overridden",
        value: 7,
        source: { layer: "environment", variable: "WORLDLINE_TRASH_DAYS" },
      },
    });
  });

  it("is ignored in an untrusted workspace, which stays untrusted", async () => {
    const place = playground();
    place.write("workspace", '{ "compaction": { "keep": 9 } }');
    const change = { where: "workspace", key: "enableFileCheckpointing", value: false } as const;
    const frame = frameOf(place);
    const trusting = {
      ...frame,
      settingsRequest: async () => ({ ...(await frame.settingsRequest()), trust: "from-now-on" as const }),
    };
    expect(await changeSetting(trusting, change)).toMatchObject({
      effect: { state: "ignored", value: true },
    });
    expect(await changeSetting(frameOf(place), change)).toMatchObject({ effect: { state: "ignored" } });
  });

  it("takes effect if layers are combined, even if another layer is stronger", async () => {
    const place = playground();
    const frame = frameOf(place, { environment: { WORLDLINE_PERMISSIONS_ALLOW: "Write" } });
    expect(
      await changeSetting(frame, { where: "user", key: "permissions.allow", value: ["Read"] }),
    ).toMatchObject({ effect: { state: "counts", value: ["Read", "Write"] } });
  });

  it("is written even if another file cannot be read, with an unknown effect", async () => {
    const place = playground();
    place.write("workspace", "{ broken");
    expect(await changeSetting(frameOf(place), { where: "user", key: "trash.days", value: 5 })).toMatchObject(
      { outcome: "written", effect: { state: "unknown", problem: { code: "SETTINGS_INVALID" } } },
    );
  });
});
