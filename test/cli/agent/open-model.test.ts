import { describe, expect, it } from "vitest";
import { openModelServer } from "../../../src/testing/model-server/model-server.ts";
import { scripted } from "../../../src/testing/model-server/script.ts";
import { playground } from "../support/command-line.ts";

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
