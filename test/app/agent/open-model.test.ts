import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openModelServer, scripted } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";

async function withSettings(settings: object) {
  const server = await openModelServer(scripted({ text: "Here." }));
  onTestFinished(() => server.close());
  const place = playground();
  const environment = { ...server.environment("anthropic"), HOME: place.root };
  place.write("user", JSON.stringify(settings, null, 2));
  const ask = (...more: string[]) =>
    place.worldline(["-p", "hello there", "--json", ...more], { environment });
  return { ...place, ask, settings: join(place.home, "settings.json") };
}

describe("the setting context.window", () => {
  it("is the window that Ollama runs the model with", async () => {
    const server = await openModelServer(scripted({ text: "Hello." }), { window: 100_000 });
    try {
      const environment = { PATH: process.env["PATH"] ?? "", ...server.environment("ollama") };
      const line = ["-p", "--model", "ollama/qwen3", "--setting", "context.window=65000", "hello"];
      expect(await playground().worldline(line, { environment })).toMatchObject({
        code: 0,
        stdout: "Hello.\n",
      });
      expect(server.requests.at(-1)?.body).toMatchObject({ options: { num_ctx: 65_000 } });
    } finally {
      await server.close();
    }
  });
});

describe("a model that is set but does not exist", () => {
  it("is refused with the setting, its file and line, and the known models", async () => {
    const { ask, settings } = await withSettings({ model: "nobody/one" });
    const said = await ask();
    expect(said.code).toBe(42);
    expect(JSON.parse(said.stdout).error).toMatchObject({
      code: "MODEL_UNKNOWN",
      message: `The model in the model setting (${settings}:2) cannot be used: Unknown provider: nobody/one`,
      hint: expect.stringContaining("worldline/finder"),
    });
  });

  it("is what `worldline models` says, too", async () => {
    const { worldline, settings } = await withSettings({ model: "nobody/one" });
    const { stdout } = await worldline("models", { environment: { OLLAMA_HOST: "127.0.0.1:1" } });
    expect(stdout).toContain(
      `Default model (without --model): none. The model in the model setting (${settings}:2)`,
    );
  });

  it("is not blamed for a name that was typed", async () => {
    const { ask } = await withSettings({ model: "anthropic/claude-sonnet-5-5" });
    const { message } = JSON.parse((await ask("--model", "nobody/two")).stdout).error;
    expect(message).toBe("Unknown provider: nobody/two");
  });

  it("costs only the cheaper summaries where it is that of compactions", async () => {
    const { ask, settings } = await withSettings({ compaction: { model: "nobody/cheap" } });
    const said = await ask();
    expect(said.code).toBe(0);
    expect(JSON.parse(said.stdout)).toMatchObject({
      answer: "Here.",
      warnings: [
        expect.stringMatching(
          new RegExp(
            `compaction\\.model setting \\(${settings}:\\d\\).*The main model writes the summaries instead`,
            "u",
          ),
        ),
      ],
    });
  });
});
