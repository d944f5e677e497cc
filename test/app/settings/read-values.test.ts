import { describe, expect, it } from "vitest";
import { readValues } from "../../../src/app/settings/files.ts";

const read = (text: string) => readValues({ path: "/s.json", text }, "user");

/** Checks that reading each text is refused with this message about a place in the file. */
function expectRefused(messages: readonly (readonly [text: string, message: string])[]) {
  for (const [text, message] of messages) {
    expect(() => read(text), text.slice(0, 80)).toThrow(
      expect.objectContaining({
        code: "SETTINGS_INVALID",
        message: `/s.json:${message}`,
        hint: "Fix the file. It is ignored until it is valid. Nothing was changed.",
      }),
    );
  }
}

describe("reading a settings file", () => {
  it("finds nested settings by their dotted names, with their positions", () => {
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

  it("finds no settings where there are none", () => {
    const texts = [
      "",
      "  \n",
      "// only a comment\n",
      "{}",
      '{"$schema": "https://example.org/x.json"}',
      '{"lock": {}}',
    ];
    expect(texts.map(read)).toEqual(texts.map(() => ({ values: [], unknown: [] })));
  });

  it("refuses anything but an object with the right syntax, with the place", () => {
    expectRefused([
      ["[1]", "1:1: expected an object in { }, found array."],
      ['{"a": 1', "1:8: expected a closing brace }."],
      ['{"a" 1}', "1:6: expected a colon."],
      ["{'a': 1}", "1:2: this is not a value; strings need double quotes."],
      ['{"a": 1}\n{', "2:1: expected the end of the file."],
      ['{"a": "x\n"}', "1:7: this string has no closing double quote."],
      ["{ /* x", "1:3: this comment is not closed."],
      ["[".repeat(200_000), "1:1: this is nested too deeply."],
    ]);
  });

  it("refuses a name that is repeated, with the place", () => {
    expectRefused([
      ['{"trash": {"days": 7, "days": 8}}', '1:23: "days" is a duplicate; the first is on line 1.'],
      ['{"models": {"a/x": {}, "a/x": {}}}', '1:24: "a/x" is a duplicate; the first is on line 1.'],
      [
        '{"models": {"a/x": {"window": 1, "window": 2}}}',
        '1:34: "window" is a duplicate; the first is on line 1.',
      ],
    ]);
  });

  it("refuses a value that its setting cannot have, with the place", () => {
    expectRefused([
      [
        '{\n  "trash": { "days": "7" }\n}',
        '2:22: expected a whole number from 0 to 36500 for trash.days, found "7".',
      ],
      ['{"trash": {"days": -1}}', "1:20: expected a whole number from 0 to 36500 for trash.days, found -1."],
      [
        '{"trash": {"days": 1.5}}',
        "1:20: expected a whole number from 0 to 36500 for trash.days, found 1.5.",
      ],
      ['{"trash": 7}', "1:11: expected an object in { } for trash, found 7."],
      [
        '{"enableFileCheckpointing": null}',
        "1:29: expected true or false for enableFileCheckpointing, found null.",
      ],
      [
        '{"permissions": {"deny": "Bash"}}',
        '1:26: expected a list of rules such as "Bash(npm test:*)" in [ ] for permissions.deny, found "Bash".',
      ],
      [
        '{"permissions": {\n"deny": ["Bash(ls)", "bash(rm)"]}}',
        '2:22: expected a rule for permissions.deny, found "bash(rm)": there is no tool "bash"; write Bash.',
      ],
      ['{"permissions": {"ask": ["Bash", 5]}}', "1:34: expected a rule for permissions.ask, found 5."],
      ['{"model": 5}', "1:11: expected a string for model, found 5."],
      ['{"models": {"x": {}}}', '1:18: expected "provider/name" as a name for models, found {}: not "x".'],
      [
        '{"models": {"a/x": {"window": "big"}}}',
        '1:31: expected a whole number of tokens as window for models, found "big".',
      ],
      [
        '{"providers": {"p": {"kind": "ollama"}}}',
        '1:21: expected an address that begins with http:// or https:// as baseUrl for providers, found {"kind": "ollama"}.',
      ],
      [
        '{"providers": {"p": {"key": "secret"}}}',
        '1:29: expected one of kind, baseUrl, keyVariable, model for providers, found "secret": not "key".',
      ],
      ['{"models": []}', '1:12: expected a table of models by "provider/name", in { } for models, found [].'],
      [
        '{"permissions": {"deny": [{"a": 1, "a": 2}]}}',
        '1:27: expected a rule for permissions.deny, found {"a": 1, "a": 2}.',
      ],
      [
        '{"models": {"a/x": {"window": [{"b": 1}, {"c": 2}]}}}',
        '1:31: expected a whole number of tokens as window for models, found [{"b": 1}, {"c": 2}].',
      ],
      [`{"model": [${"1".repeat(38)}]}`, `1:11: expected a string for model, found [${"1".repeat(38)}].`],
      [`{"model": [${"1".repeat(39)}]}`, `1:11: expected a string for model, found [${"1".repeat(39)}....`],
    ]);
  });

  it("finds the position of each item of a list", () => {
    expect(
      read('{"permissions": {\n  "deny": [\n    "Bash(rm:*)",\n    "Read(.env)"\n  ]\n}}').values,
    ).toEqual([
      {
        key: "permissions.deny",
        value: ["Bash(rm:*)", "Read(.env)"],
        source: { layer: "user", file: "/s.json", line: 2, column: 3 },
        places: [
          { line: 3, column: 5 },
          { line: 4, column: 5 },
        ],
      },
    ]);
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

  it("suggests how a dotted name is written in sections, unless its value is long or the name is unknown", () => {
    const suggestions = (text: string) => read(text).unknown.map(({ suggestion }) => suggestion);
    const [shown, long] = [38, 39].map((length) => `"${"x".repeat(length)}"`);
    expect(suggestions(`{"compaction.model": ${shown}}`)).toEqual([`{"compaction": {"model": ${shown}}}`]);
    expect(suggestions(`{"compaction.model": ${long}}`)).toEqual(['{"compaction": {"model": ...}}']);
    expect(suggestions('{"far.away": 1, "trash": {"days\\"": 1}}')).toEqual([undefined, "trash.days"]);
  });
});
