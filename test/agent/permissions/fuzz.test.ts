import { describe, expect, it } from "vitest";
import { readPlainLine } from "../../../src/agent/permissions/shell/plain-line.ts";
import { inTempFolder } from "../../../src/testing/temp-folder.ts";
import { fuzz } from "./fuzz/fuzz.ts";
import { run, type Shooter, shootAsAgent } from "./fuzz/range.ts";

describe("commands that need no permission", () => {
  it("start nothing, change nothing and see nothing outside, however they are written", async () => {
    const report = await inTempFolder(async (folder) => fuzz({ folder, count: 700, seed: 15 }));
    expect(report.holes).toEqual([]);
    expect(report.ran).toBeGreaterThan(40);
  });
});

/** Planted holes: each shooter runs one more kind of command without asking, and the fuzzer must find it. */
const plants: readonly (readonly [string, Shooter])[] = [
  [
    "test -v",
    async (range, command) =>
      /^test -v [^;&|<>]*$/u.test(command) ? run(range, command) : shootAsAgent(range, command),
  ],
  [
    "git as it is configured",
    async (range, command) =>
      /^git (?:status|diff|log)$/u.test(command) ? run(range, command) : shootAsAgent(range, command),
  ],
  [
    "paths that are not followed",
    async (range, command) =>
      /^(?:cat|head) [\w./]+$/u.test(command) ? run(range, command) : shootAsAgent(range, command),
  ],
  [
    "redirections that are not followed",
    async (range, command) =>
      readPlainLine(command.replace(/ >>? \w+$/u, "")) !== undefined && / >>? \w+$/u.test(command)
        ? run(range, command)
        : shootAsAgent(range, command),
  ],
];

describe("the fuzz", () => {
  it.each(plants)("finds a hole that was planted: %s", async (_, shooter) => {
    const report = await inTempFolder(async (folder) =>
      fuzz({ folder, count: 1_500, seed: 15, shooter, stopAt: "first hole" }),
    );
    expect(report.holes).toHaveLength(1);
  });
});
