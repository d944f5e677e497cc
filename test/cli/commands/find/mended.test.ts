import { describe, expect, it } from "vitest";
import { workshop } from "../../support/workshop.ts";

const given = { environment: { PATH: process.env["PATH"] ?? "" } };
const TEST = ["--", "/bin/sh", "test.sh"];

type Edit = readonly [path: string, content: string];
const harmless = (count: number): readonly Edit[] =>
  Array.from({ length: count }, (_, index) => ["notes", `${count}.${index}\n`]);

/** Takes a checkpoint of the initial state, where the test passes, and after every edit except the last. */
async function edited(edits: readonly Edit[]) {
  const place = workshop();
  const { put, worldline } = place;
  put("test.sh", "grep -q a=1 a && grep -q b=1 b\n");
  put("a", "a=1\n");
  put("b", "b=1\n");
  await worldline("checkpoint", given);
  for (const [index, [path, content]] of edits.entries()) {
    put(path, content);
    if (index < edits.length - 1) await worldline("checkpoint", given);
  }
  const find = async (...words: readonly string[]) => {
    const { code, stdout } = await worldline(["find", "--json", ...words, ...TEST], given);
    return { code, ...JSON.parse(stdout) };
  };
  return { ...place, find };
}

describe("worldline find, if something was broken, fixed, and broken again", () => {
  it("names what is broken now, and not what was fixed", async () => {
    const { find } = await edited([
      ["a", "a=2\n"],
      ["a", "a=1\n"],
      ...harmless(2),
      ["b", "b=2\n"],
      ...harmless(3),
    ]);
    expect(await find()).toMatchObject({
      code: 0,
      verdict: "found",
      green: { checkpoint: 5 },
      red: { checkpoint: 6 },
      change: { paths: [{ path: "b" }] },
      confirmed: "confirmed",
    });
  });

  it("names the last of two times that the same line was broken", async () => {
    const { find } = await edited([
      ["a", "a=2\n"],
      ["a", "a=1\n"],
      ...harmless(2),
      ["a", "a=2\n"],
      ...harmless(3),
    ]);
    expect(await find()).toMatchObject({
      code: 0,
      verdict: "found",
      green: { checkpoint: 5 },
      red: { checkpoint: 6 },
    });
  });

  it("names the last of two times that a mode was changed", async () => {
    const { find, put, worldline } = await edited(harmless(1));
    put("test.sh", "test -x tool\n");
    for (const mode of [0o755, 0o644, 0o755]) {
      put("tool", "", mode);
      await worldline("checkpoint", given);
    }
    for (const [path, content] of harmless(2)) {
      put(path, content);
      await worldline("checkpoint", given);
    }
    put("tool", "", 0o644);
    await worldline("checkpoint", given);
    for (const [path, content] of harmless(3)) {
      put(path, content);
      await worldline("checkpoint", given);
    }
    expect(await find()).toMatchObject({
      verdict: "found",
      green: { checkpoint: 6 },
      red: { checkpoint: 7 },
      change: { paths: [{ path: "tool", what: "mode" }] },
    });
  });

  it("cannot tell where the test fails without it too, and says what was seen", async () => {
    const place = await edited([["a", "a=2\n"], ...harmless(3), ["b", "b=2\n"]]);
    expect(await place.find()).toMatchObject({
      code: 1,
      verdict: "cannot-tell",
      why: "unconfirmed",
      green: { checkpoint: 1 },
      red: { checkpoint: 2 },
      change: { paths: [{ path: "a" }] },
      confirmed: "other-causes",
    });
    const { code, stdout, stderr } = await place.worldline(["find", ...TEST], given);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /\nChecking whether the test passed again later: #4 of .*, at most 1 to go …\n {2}red\n/u,
    );
    expect(stdout).toMatch(
      /^Cannot tell what makes the test fail now\. The test last broke between #1 of .* and #2 of .*:\n/u,
    );
    expect(stdout).toMatch(
      /\n\+a=2\n\nNot confirmed: without this change, the test still fails now\. There are other causes too\.\n$/u,
    );
  });

  it("cannot tell where it was changed since, takes nothing back, and says why", async () => {
    const { find, files } = await edited([
      ["a", "a=2\n"],
      ["a", "a=3\n"],
    ]);
    const before = files();
    expect(await find("--undo")).toMatchObject({
      code: 1,
      verdict: "cannot-tell",
      why: "unconfirmed",
      confirmed: "changed-since",
      undo: { state: "refused", why: "changed-since" },
    });
    expect(files()).toEqual(before);
  });
});
