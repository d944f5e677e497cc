import fc from "fast-check";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { withSetting } from "../../../src/app/settings/change.ts";
import { readValues } from "../../../src/app/settings/files.ts";
import type { SettingValue } from "../../../src/app/settings/kinds.ts";
import { type SettingKey, settingKeys } from "../../../src/app/settings/table.ts";
import { valuesFor } from "./samples.ts";

const changed = fc
  .constantFrom(...settingKeys)
  .chain((key) => valuesFor(key).map((value) => ({ key, value })));
const set = (text: string, key: SettingKey, value: SettingValue) =>
  withSetting({ path: "/s.json", text }, key, value);

/** Empties all strings first, because their text may look like a comment. */
function commentsIn(text: string): readonly string[] | null {
  return text.replace(/"(?:\\.|[^"\\])*"/gu, '""').match(/\/\/.*|\/\*.*?\*\//gu);
}

describe("setting a value in a file's text", () => {
  it("keeps everything else as it is, and indents as the file does", () => {
    const texts: readonly (readonly [string, string])[] = [
      ["", '{\n  "trash": {\n    "days": 7\n  }\n}\n'],
      ["// mine\n", '// mine\n{\n  "trash": {\n    "days": 7\n  }\n}\n'],
      ["{}", '{\n  "trash": {\n    "days": 7\n  }\n}'],
      ['{"a": 1}\n', '{"a": 1,\n  "trash": {\n    "days": 7\n  }\n}\n'],
      [
        '{\n  "trash": {\n    "days": 3 // short\n  },\n}\n',
        '{\n  "trash": {\n    "days": 7 // short\n  },\n}\n',
      ],
      ['{\n  "a": 1 // one\n}\n', '{\n  "a": 1, // one\n  "trash": {\n    "days": 7\n  }\n}\n'],
      [
        '{\n  "a": 1, // one\n  // end\n}\n',
        '{\n  "a": 1, // one\n  // end\n  "trash": {\n    "days": 7\n  }\n}\n',
      ],
      ['{\n  "a": 1 /* one */,\n}\n', '{\n  "a": 1 /* one */,\n  "trash": {\n    "days": 7\n  }\n}\n'],
      ['{\n  "a": 1 /* , */\n}\n', '{\n  "a": 1, /* , */\n  "trash": {\n    "days": 7\n  }\n}\n'],
      ['{\n\t"trash": {\n\t\t"x": 1\n\t}\n}\n', '{\n\t"trash": {\n\t\t"x": 1,\n\t\t"days": 7\n\t}\n}\n'],
      ['{\n    "a": 1\n}\n', '{\n    "a": 1,\n    "trash": {\n        "days": 7\n    }\n}\n'],
      ['{\r\n  "a": 1\r\n}\r\n', '{\r\n  "a": 1,\r\n  "trash": {\r\n    "days": 7\r\n  }\r\n}\r\n'],
      ['{"trash": {}}', '{"trash": {\n  "days": 7\n}}'],
      ["  \n", '{\n  "trash": {\n    "days": 7\n  }\n}\n'],
      ["{\n  // none\n}\n", '{\n  // none\n  "trash": {\n    "days": 7\n  }\n}\n'],
      [
        '{\n    "a": 1,\n    "trash": {"x": 1}\n}\n',
        '{\n    "a": 1,\n    "trash": {"x": 1,\n      "days": 7\n    }\n}\n',
      ],
      ['{\n\t"trash": {}\n}\n', '{\n\t"trash": {\n\t\t"days": 7\n\t}\n}\n'],
      ['{\n"a": 1\n}\n', '{\n"a": 1,\n"trash": {\n  "days": 7\n}\n}\n'],
      ['\t{\n  "a": 1\n\t}\n', '\t{\n  "a": 1,\n  "trash": {\n  \t"days": 7\n  }\n\t}\n'],
      ['\t{\n\t  "a": 1\n\t}\n', '\t{\n\t  "a": 1,\n\t  "trash": {\n\t    "days": 7\n\t  }\n\t}\n'],
    ];
    expect(texts.map(([text]) => [text, set(text, "trash.days", 7)])).toEqual(texts);
  });

  it("refuses a text that cannot be read", () => {
    for (const [text, reason] of [
      ['{"a": ', "settings-syntax"],
      ["[1]", "settings-not-an-object"],
    ] as const) {
      expect(() => set(text, "trash.days", 7)).toThrow(
        expect.objectContaining({ code: "SETTINGS_INVALID", reason }),
      );
    }
  });

  it("law: whatever is set in whatever order, everything is read back, and every comment is kept in order", () => {
    const comments = ["// one", "/* two */", "// three, with a comma", "/* { */"];
    const start = `${comments[0]}\n{ ${comments[1]}\n  "other": [1, 2], ${comments[2]}\n  ${comments[3]}\n}\n`;
    fc.assert(
      fc.property(fc.array(changed), (changes) => {
        const wanted = new Map<SettingKey, unknown>();
        let text = start;
        for (const { key, value } of changes) {
          text = set(text, key, value);
          wanted.set(key, value);
        }
        const { values } = readValues({ path: "/s.json", text }, "user");
        expect(new Map(values.map(({ key, value }) => [key, value]))).toEqual(wanted);
        expect(commentsIn(text)).toEqual(comments);
        expect(parse(text)).toMatchObject({ other: [1, 2] });
      }),
    );
  });
});
