import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CommandPlan } from "../../../../src/agent/permissions/unasked/plan.ts";
import { runPlan } from "../../../../src/agent/tools/bash/run-plan.ts";
import { inTempFolder } from "../../../../src/testing/testing.ts";

type Command = CommandPlan["steps"][number]["pipeline"][number];

function command(program: string, ...args: readonly string[]): Command {
  const run = { program: `/bin/${program}`, args, environment: {} };
  return { words: [program, ...args], redirects: [], places: [], looks: "named", run };
}

async function printed(folder: string, steps: CommandPlan["steps"]): Promise<string> {
  const plan = runPlan(
    { folder, steps },
    { workspace: folder, environment: { PATH: "/usr/bin:/bin" }, mark: "m" },
  );
  let text = "";
  for await (const piece of plan.output) text += String(piece);
  await plan.exited;
  return text;
}

describe("a line of many commands", () => {
  it.each([
    ["one after the other", "steps"],
    ["in one pipeline", "pipeline"],
  ] as const)(
    "runs %s without a warning of Node's, which would be printed over the screen",
    async (_, form) => {
      const warnings: Error[] = [];
      const warned = (warning: Error): void => void warnings.push(warning);
      process.on("warning", warned);
      onTestFinished(() => void process.off("warning", warned));
      await inTempFolder(async (folder) => {
        const steps: CommandPlan["steps"] =
          form === "steps"
            ? Array.from({ length: 30 }, (__, at) => ({ join: ";", pipeline: [command("echo", `${at}`)] }))
            : [{ join: ";", pipeline: [command("echo", "through"), ...Array(14).fill(command("cat"))] }];
        const expected =
          form === "steps" ? Array.from({ length: 30 }, (__, at) => `${at}\n`).join("") : "through\n";
        expect(await printed(folder, steps)).toBe(expected);
      });
      await sleep(10);
      expect(warnings).toEqual([]);
    },
  );
});

describe("a command that the system refuses to start", () => {
  it("prints the reason and ends the rest of its pipeline, and the next command runs", async () => {
    await inTempFolder(async (folder) => {
      const file = join(folder, "no-folder");
      writeFileSync(file, "");
      const text = await printed(file, [
        { join: ";", pipeline: [command("echo", "1"), command("cat")] },
        { join: "&&", pipeline: [command("echo", "2")] },
        { join: "||", pipeline: [command("echo", "3")] },
      ]);
      expect(text).toBe("cat: spawn ENOTDIR\necho: spawn ENOTDIR\n");
    });
  });
});
