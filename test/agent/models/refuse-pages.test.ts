import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Keys } from "../../../src/agent/models/access.ts";
import { checkModel, chooseModel } from "../../../src/agent/models/choose-model.ts";

/** Starts a web server that gives the same answer to every request. */
async function serverOf(contentType: string, body: string) {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": contentType }).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}` };
}

const keys: Keys = { find: () => ({ key: "sk-secret-123", from: "environment" }) };

describe("an address that leads to a web page", () => {
  it.each([
    ["anthropic/claude", "ANTHROPIC_BASE_URL"],
    ["openai/gpt", "OPENAI_BASE_URL"],
    ["openai-chat/gpt", "OPENAI_BASE_URL"],
    ["ollama/qwen3", "OLLAMA_HOST"],
  ])("is not a model server for %s, and is not asked again", async (wanted, variable) => {
    const { address } = await serverOf("text/html; charset=utf-8", "<title>Log in</title>");
    const sources = {
      settings: { model: "", models: {}, providers: {} },
      environment: { [variable]: address },
      keys,
    };
    const { model } = await chooseModel(wanted, sources);
    const checked = await checkModel(model, new AbortController().signal);
    expect(checked).toMatchObject({
      outcome: "failed",
      failure: {
        code: "MODEL_UNREACHABLE",
        message: expect.stringMatching(/^There is no model server at http:.*The response was text\/html\.$/u),
        hint: expect.stringContaining("Check the address"),
        retry: "never",
      },
    });
  });

  it("is a server of a provider that calls its stream plain text", async () => {
    const chunk = { id: "1", object: "chat.completion.chunk", created: 1, model: "gpt" };
    const delta = {
      choices: [{ index: 0, delta: { role: "assistant", content: "ready" }, finish_reason: "stop" }],
    };
    const { address } = await serverOf(
      "text/plain",
      `data: ${JSON.stringify({ ...chunk, ...delta })}\n\ndata: [DONE]\n\n`,
    );
    const sources = {
      settings: { model: "", models: {}, providers: {} },
      environment: { OPENAI_BASE_URL: address },
      keys,
    };
    const { model } = await chooseModel("openai-chat/gpt", sources);
    expect(await checkModel(model, new AbortController().signal)).toMatchObject({ outcome: "ok" });
  });
});
