import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { pack, project } from "../support/packed.ts";

const packed = new Set(pack().files.map(({ path }) => path));
const pages = [...packed].filter((path) => path.endsWith(".md") && !path.startsWith("bench/"));

/** The targets of links and images that refer to files; those inside code are ignored. */
function linksOf(page: string): string[] {
  const text = readFileSync(join(project, page), "utf8").replaceAll(/```[\s\S]*?```|`[^`\n]*`/gu, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)|(?:href|src)="([^"]+)"/gu)]
    .map(([, inText, inTag]) => (inText ?? inTag ?? "").replace(/#.*$/u, ""))
    .filter((link) => link !== "" && !/^[a-z]+:/u.test(link))
    .map((link) => posix.normalize(posix.join(posix.dirname(page), link)));
}

/** Everything that is loaded with a built file before any of its code runs. */
function loadedWith(file: string, known = new Map<string, string>()): ReadonlyMap<string, string> {
  if (known.has(file)) return known;
  const code = readFileSync(join(project, file), "utf8");
  known.set(file, code);
  for (const [, path = ""] of code.matchAll(/(?:^|;)import(?:[^"'`();]*from)?"(\.[^"]+)"/gmu))
    loadedWith(posix.join(posix.dirname(file), path), known);
  return known;
}

describe("the package", () => {
  it("loads almost nothing to answer --version", () => {
    const loaded = loadedWith("dist/cli.js");
    expect(loaded.size).toBeGreaterThan(2);
    expect([...loaded.values()].join("").length).toBeLessThan(10_000);
  });

  it("has the guides in it whose links are checked here", () => {
    expect(pages).toEqual(expect.arrayContaining(["README.md", "README.zh-CN.md", "docs/guide/agent.md"]));
  });

  it.each(pages)("has everything that %s links to", (page) => {
    const missing = linksOf(page).filter((path) => {
      const folder = `${path.replace(/\/$/u, "")}/`;
      return !packed.has(path) && ![...packed].some((each) => each.startsWith(folder));
    });
    expect(missing).toEqual([]);
  });

  it("has what package.json leads to", () => {
    const { bin, exports } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
    const targets = [bin, ...Object.values(exports)].flatMap((each) =>
      typeof each === "string" ? [each] : Object.values(each as Readonly<Record<string, string>>),
    );
    expect(targets.map((each) => posix.normalize(each)).filter((path) => !packed.has(path))).toEqual([]);
  });

  it("has the notices of what is bundled, and nothing of the build", () => {
    expect(packed).toContain("dist/THIRD-PARTY-NOTICES.txt");
    expect([...packed].filter((path) => /\.stamp$|^(src|test|scripts|changes)\//u.test(path))).toEqual([]);
  });
});
