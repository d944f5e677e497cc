import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FORMAT_VERSION } from "../../src/record/entry.ts";
import { shapes } from "../../src/record/shape.ts";

const page = readFileSync(new URL("../../docs/format.md", import.meta.url), "utf8");

/** The section of the page under the heading of this kind. */
function sectionOf(kind: string): string {
  const start = page.indexOf(`\n#### \`${kind}\``);
  const end = page.indexOf("\n#", start + 5);
  return start === -1 ? "" : page.slice(start, end === -1 ? undefined : end);
}

describe("docs/format.md", () => {
  it("describes the version that is written", () => {
    expect(page).toContain(`**${FORMAT_VERSION}**`);
  });

  it.each(Object.entries(shapes))("has a section for %s that names every field", (kind, shape) => {
    const section = sectionOf(kind);
    expect(section, `no section for ${kind}`).not.toBe("");
    for (const field of Object.keys(shape)) expect(section).toContain(`\`${field}\``);
  });

  it("describes no kind that there is not", () => {
    const headings = [...page.matchAll(/^#### `([a-z-]+)`/gm)].map((match) => match[1]);
    expect(headings).toEqual(Object.keys(shapes));
  });
});
