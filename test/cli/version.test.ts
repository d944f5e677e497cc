import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { version } from "../../src/version.ts";

it("the version is the package's", () => {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  expect(JSON.parse(text)).toMatchObject({ version });
});
