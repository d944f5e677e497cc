import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { shownValue } from "../../../src/app/settings/kinds.ts";
import { settingKeys, settingOf, variableOf } from "../../../src/app/settings/table.ts";
import { settingDescriptions } from "../../../src/strings/en/setting-descriptions.ts";

const guide = readFileSync(new URL("../../../docs/guide/settings.md", import.meta.url), "utf8");
const may = {
  nothing: "not change it",
  lower: "lower it",
  higher: "raise it",
  narrower: "narrow it",
  add: "add to it",
  never: "never change it",
};

describe("the descriptions of settings", () => {
  it("are those of all settings, and of no other", () => {
    expect(Object.keys(settingDescriptions).toSorted()).toEqual(settingKeys.toSorted());
  });
});

describe("the guide's table of settings", () => {
  it("is the program's", () => {
    const rows = settingKeys.map((key) => {
      const { default: usual, untrusted } = settingOf(key);
      const description = settingDescriptions[key];
      const what = description.charAt(0).toLowerCase() + description.slice(1, -1);
      return `| \`${key}\` | ${shownValue(usual)} | \`${variableOf(key)}\` | ${what} | ${may[untrusted]} |`;
    });
    expect(guide.split("\n").filter((line) => line.startsWith("| `"))).toEqual(rows);
  });
});
