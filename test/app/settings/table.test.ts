import { describe, expect, it } from "vitest";
import { settingOf } from "../../../src/app/settings/table.ts";
import { defaultSessionSettings } from "../../../src/machine/settings.ts";
import { SPILL_FLOOR } from "../../../src/record/shape.ts";

describe("log.blobBytes", () => {
  const { kind, default: usual } = settingOf("log.blobBytes");

  it("cannot be so small that it makes no difference", () => {
    expect(kind.fromJson(SPILL_FLOOR)).toBeUndefined();
    expect(kind.fromJson(256)).toBe(256);
  });

  it("is by default what the machine takes for it", () => {
    expect(usual).toBe(defaultSessionSettings.blobBytes);
  });
});
