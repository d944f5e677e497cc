import { describe, expect, it } from "vitest";
import { chooseModel } from "../../../src/agent/models/choose-model.ts";
import { textPart } from "../../../src/record/parts.ts";
import { openModelServer } from "../../../src/testing/model-server/model-server.ts";
import { scripted } from "../../../src/testing/model-server/script.ts";
import { keysOf, settingsOf } from "./sources.ts";

/** Returns the reply as the next request to the same model repeats it. */
async function saidAgain(provider: string): Promise<unknown> {
  const server = await openModelServer(scripted({ text: "Done." }), { key: "not-asked" });
  try {
    const row = { kind: "compatible", baseUrl: server.url } as const;
    const settings = settingsOf({ providers: { [provider]: row } });
    const { model } = await chooseModel(`${provider}/m`, { settings, environment: {}, keys: keysOf({}) });
    const thought = { type: "thinking", text: "Hm, a pool." } as const;
    const messages = [
      { role: "user", parts: [textPart("Where?")] },
      { role: "assistant", model: model.name, parts: [thought, textPart("There.")] },
      { role: "user", parts: [textPart("Sure?")] },
    ] as const;
    const context = { system: "", messages, breakpoints: [] };
    for await (const event of model.stream({ context, tools: [], signal: new AbortController().signal })) {
      expect(event).not.toMatchObject({ type: "failed" });
    }
    const [request] = server.requests;
    const body = request?.body as { messages?: readonly unknown[] } | undefined;
    return body?.messages?.[1];
  } finally {
    await server.close();
  }
}

describe("thinking as plain text", () => {
  it.each(["moonshot", "deepseek"])("goes back to %s, which refuses calls without it", async (provider) => {
    expect(await saidAgain(provider)).toEqual({
      role: "assistant",
      content: "There.",
      reasoning_content: "Hm, a pool.",
    });
  });

  it.each(["openrouter", "lmstudio", "house"])(
    "stays away from %s, which may not know the field",
    async (provider) => {
      expect(await saidAgain(provider)).toEqual({ role: "assistant", content: "There." });
    },
  );
});
