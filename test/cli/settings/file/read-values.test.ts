import { describe, expect, it } from "vitest";
import { readValues } from "../../../../src/cli/settings/file/read-values.ts";

const read = (text: string) => readValues({ path: "/s.json", text }, "user");

describe("reading a settings file", () => {
  it("knows nested settings by their dotted names, and where they stand", () => {
    const text = '{\n  // why\n  "trash": { "days": 7, },\n\t"enableFileCheckpointing": false, /* so */\n}\n';
    expect(read(text)).toEqual({
      values: [
        { key: "trash.days", value: 7, source: { layer: "user", file: "/s.json", line: 3, column: 14 } },
        {
          key: "enableFileCheckpointing",
          value: false,
          source: { layer: "user", file: "/s.json", line: 4, column: 2 },
        },
      ],
      unknown: [],
    });
  });

  it.each([
    "",
    "  \n",
    "// only a comment\n",
    "{}",
    '{"$schema": "https://example.org/x.json"}',
    '{"lock": {}}',
  ])("takes %j for no settings", (text) => {
    expect(read(text)).toEqual({ values: [], unknown: [] });
  });

  it.each([
    [
      '{\n  "trash": { "days": "7" }\n}',
      '2:22: expected a whole number from 0 to 36500 for trash.days, found "7".',
    ],
    ['{"trash": {"days": -1}}', "1:20: expected a whole number from 0 to 36500 for trash.days, found -1."],
    ['{"trash": {"days": 1.5}}', "1:20: expected a whole number from 0 to 36500 for trash.days, found 1.5."],
    ['{"trash": 7}', "1:11: expected an object in { } for trash, found 7."],
    [
      '{"enableFileCheckpointing": null}',
      "1:29: expected true or false for enableFileCheckpointing, found null.",
    ],
    ['{"trash": {"days": 7, "days": 8}}', '1:23: "days" stands here a second time; the first is in line 1.'],
    ["[1]", "1:1: expected an object in { }, found array."],
    ['{"a": 1', "1:8: expected a closing brace }."],
    ['{"a" 1}', "1:6: expected a colon."],
    ["{'a': 1}", "1:2: this is not a value; texts stand in double quotes."],
    ['{"a": 1}\n{', "2:1: expected the end of the file."],
    ['{"a": "x\n"}', "1:7: this text is not ended by a double quote."],
    ["{ /* x", "1:3: this comment is not ended."],
    ["[".repeat(200_000), "1:1: this is nested too deeply."],
  ])("refuses %.40j, with the place", (text, message) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        code: "SETTINGS_INVALID",
        message: `/s.json:${message}`,
        hint: expect.any(String),
      }),
    );
  });

  it("passes over what only another version knows, and says what may have been meant", () => {
    const place = { file: "/s.json", line: 1 };
    const text = '{"lock": {"wait": 1}, "lock.waitMs": 5, "__proto__": {}, "future": {"x": [1]}}';
    expect(read(text)).toEqual({
      values: [],
      unknown: [
        { name: "lock.wait", ...place, column: 11, suggestion: "lock.waitMs" },
        { name: '"lock.waitMs"', ...place, column: 23, suggestion: '{"lock": {"waitMs": 5}}' },
        { name: "__proto__", ...place, column: 41, suggestion: undefined },
        { name: "future", ...place, column: 58, suggestion: undefined },
      ],
    });
  });
});
