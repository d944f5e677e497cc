import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fraction, oneOf, onOrOff, valueText, whole } from "../../../src/app/settings/kinds.ts";
import { settingKeys, settingOf, variableOf } from "../../../src/app/settings/table.ts";
import { valuesFor } from "./samples.ts";

describe("a setting's value", () => {
  it.each([
    ["1", true],
    ["TRUE", true],
    [" on ", true],
    ["0", false],
    ["no", false],
    ["2", undefined],
    ["", undefined],
  ])("on or off: %j is %j", (text, value) => {
    expect(onOrOff.fromText(text)).toBe(value);
  });

  it.each([
    ["5", 5],
    [" 10 ", 10],
    ["0", undefined],
    ["11", undefined],
    ["5.5", undefined],
    ["0x5", undefined],
    ["", undefined],
    ["five", undefined],
  ])("a whole number from 1 to 10: %j is %j", (text, value) => {
    expect(whole({ from: 1, to: 10 }).fromText(text)).toBe(value);
  });

  it("from JSON must have the type too", () => {
    expect([onOrOff.fromJson("true"), onOrOff.fromJson(1), onOrOff.fromJson(false)]).toEqual([
      undefined,
      undefined,
      false,
    ]);
    const few = whole({ from: 1, to: 10 });
    expect([few.fromJson("5"), few.fromJson(null), few.fromJson([5]), few.fromJson(5)]).toEqual([
      undefined,
      undefined,
      undefined,
      5,
    ]);
  });

  it("may be a fraction, or one word of a few", () => {
    const ratio = fraction({ from: 0.1, to: 1 });
    expect([ratio.fromText("0.85"), ratio.fromText("0"), ratio.fromJson(1)]).toEqual([0.85, undefined, 1]);
    const display = oneOf("card", "line", "off");
    expect([display.fromText("card"), display.fromJson("cards"), display.expected]).toEqual([
      "card",
      undefined,
      { is: "one-of", choices: ["card", "line", "off"] },
    ]);
  });
});

describe("the table of settings", () => {
  it("has defaults that its own kinds accept", () => {
    for (const key of settingKeys) {
      const { kind, default: usual } = settingOf(key);
      expect(kind.fromJson(usual), key).toEqual(usual);
      expect(kind.fromText(valueText(usual)), key).toEqual(usual);
    }
  });

  it("law: has values that are read back from the text that is shown for them", () => {
    for (const key of settingKeys) {
      const { kind } = settingOf(key);
      fc.assert(
        fc.property(valuesFor(key), (value) => {
          expect(kind.fromText(valueText(value)), key).toEqual(value);
          expect(kind.fromJson(JSON.parse(JSON.stringify(value))), key).toEqual(value);
        }),
        { numRuns: 20 },
      );
    }
  });

  it("names a variable for each", () => {
    expect(settingKeys.map(variableOf)).toEqual([
      "WORLDLINE_FILE_CHECKPOINTING",
      "WORLDLINE_CHECKPOINT_KEEP_COUNT",
      "WORLDLINE_SNAPSHOTS_MAX_FILE_BYTES",
      "WORLDLINE_SNAPSHOTS_MAX_BYTES",
      "WORLDLINE_REWIND_CONFIRM_DELETES",
      "WORLDLINE_WATCH_QUIET_MS",
      "WORLDLINE_WATCH_MAX_MS",
      "WORLDLINE_LOCK_WAIT_MS",
      "WORLDLINE_LOCK_LEASE_MS",
      "WORLDLINE_LOG_ROTATE_BYTES",
      "WORLDLINE_LOG_BLOB_BYTES",
      "WORLDLINE_TRASH_DAYS",
      "WORLDLINE_CONTEXT_WINDOW",
      "WORLDLINE_MODEL",
      "WORLDLINE_MODELS",
      "WORLDLINE_PROVIDERS",
      "WORLDLINE_PERMISSIONS_MODE",
      "WORLDLINE_PERMISSIONS_ALLOW",
      "WORLDLINE_PERMISSIONS_ASK",
      "WORLDLINE_PERMISSIONS_DENY",
      "WORLDLINE_BACKTRACK_ENABLED",
      "WORLDLINE_BACKTRACK_MAX_PER_TURN",
      "WORLDLINE_BACKTRACK_DISPLAY",
      "WORLDLINE_BACKTRACK_MENTION",
      "WORLDLINE_COMPACTION_RATIO",
      "WORLDLINE_COMPACTION_RESERVE",
      "WORLDLINE_COMPACTION_KEEP",
      "WORLDLINE_COMPACTION_MODEL",
      "WORLDLINE_COMPACTION_AUTO",
      "WORLDLINE_RECOVERY_MAX_RETRIES",
      "WORLDLINE_SNAPSHOTS_FIRST_WAIT_MS",
      "WORLDLINE_AGENT_MAX_STEPS",
      "WORLDLINE_AGENT_SILENCE_MS",
      "WORLDLINE_HOST",
      "WORLDLINE_CLAUDE_SDK",
      "WORLDLINE_CLAUDE_MODEL",
      "WORLDLINE_SNAPSHOTS_ENGINE",
      "WORLDLINE_LANGUAGE",
      "WORLDLINE_UI_DOUBLE_ESCAPE_MS",
      "WORLDLINE_UI_THEME",
      "WORLDLINE_UI_MOUSE",
    ]);
  });
});
