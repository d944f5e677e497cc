import { describe, expect, it } from "vitest";
import { requireConsent } from "../../src/cli/ask.ts";
import { type CommandEntry, defineCommand, flag } from "../../src/cli/command.ts";
import { playground } from "./support/command-line.ts";

const burn: CommandEntry = {
  name: "burn",
  summary: () => "asks first",
  load: async () =>
    defineCommand({
      options: { yes: flag() },
      help: () => ({
        examples: { "worldline burn --yes": "without being asked" },
        options: { yes: "agree" },
      }),
      async run({ options, frame }) {
        await requireConsent(
          { question: "Burn \u001b[31mit?", yes: options.yes ? "given" : "absent" },
          frame,
        );
        frame.output.answer({ burnt: true }, () => "burnt");
      },
    }),
};

describe("asking for consent", () => {
  it.each(["y\n", "yes\n", " YES \n"])("takes %j for a yes", async (typed) => {
    const { code, stdout, stderr } = await playground().worldline("burn", { commands: [burn], typed });
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "burnt\n",
      stderr: "Burn \u241b[31mit? [y/N] ",
    });
  });

  it.each(["n\n", "\n", "", "yellow\n"])("takes %j for a no, and exits with 130", async (typed) => {
    const { code, stdout, stderr } = await playground().worldline("burn", { commands: [burn], typed });
    expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
    expect(stderr).toContain("Canceled; nothing was changed.");
  });

  it("needs --yes without a terminal", async () => {
    const { worldline } = playground();
    const refused = await worldline("burn", { commands: [burn] });
    expect(refused).toMatchObject({ code: 42, stdout: "" });
    expect(refused.stderr).toContain("--yes");
    expect(await worldline("burn --yes", { commands: [burn] })).toMatchObject({ code: 0, stdout: "burnt\n" });
  });

  it("needs --yes with --json, terminal or not: a question is not a document", async () => {
    const { code, stdout } = await playground().worldline("burn --json", { commands: [burn], typed: "y\n" });
    expect(code).toBe(42);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "NEEDS_YES" } });
  });
});
