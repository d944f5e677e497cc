import { describe, expect, it } from "vitest";
import { checkModel } from "../../../src/agent/models/check-model.ts";
import { chooseModel } from "../../../src/agent/models/choose-model.ts";
import { type AttackName, attacks, hostileServer } from "../../support/hostile-server.ts";
import { keysOf, settingsOf } from "./sources.ts";

const WIRES = [
  ["anthropic/claude", "ANTHROPIC_BASE_URL", "text/event-stream"],
  ["openai/gpt", "OPENAI_BASE_URL", "text/event-stream"],
  ["openai-chat/gpt", "OPENAI_BASE_URL", "text/event-stream"],
  ["ollama/qwen3", "OLLAMA_HOST", "application/x-ndjson"],
] as const;
/** Endless answers are given up at 16 MB; the rest is what the system buffers on both sides. */
const MAX_SENT = 80_000_000;

async function ask(wanted: string, variable: string, url: string) {
  const environment = {
    [variable]: url,
    ANTHROPIC_API_KEY: "sk-secret-123",
    OPENAI_API_KEY: "sk-secret-123",
  };
  const patience = { connectMs: 2_000, silenceMs: 300, firstByteMs: 300 };
  const sources = { settings: settingsOf(), environment, keys: keysOf(environment), patience };
  const { model } = await chooseModel(wanted, sources);
  return checkModel(model, new AbortController().signal);
}

describe("a model's server that attacks", () => {
  it.each(Object.keys(attacks) as AttackName[])(
    "with %s gets a clear failure, on every wire",
    async (name) => {
      const ends = WIRES.map(async ([wanted, variable, type]) => {
        const server = await hostileServer(type, attacks[name]);
        const check = await ask(wanted, variable, server.url);
        expect(check, wanted).toMatchObject({
          outcome: "failed",
          failure: {
            code: expect.stringMatching(/^MODEL_(FAILED|UNREACHABLE)$/u),
            message: expect.stringMatching(/[^.]\.$/u),
          },
        });
        expect(JSON.stringify(check)).not.toContain("sk-secret");
        expect(server.sent()).toBeLessThan(MAX_SENT);
        await expect.poll(server.allClosed).toBe(true);
      });
      await Promise.all(ends);
    },
  );
});
