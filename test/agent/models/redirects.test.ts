import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkModel, chooseModel, listModels } from "../../../src/agent/models/choose-model.ts";
import { keysOf, settingsOf } from "./sources.ts";

const WIRES = [
  ["anthropic/claude", "ANTHROPIC_BASE_URL"],
  ["openai/gpt", "OPENAI_BASE_URL"],
  ["openai-chat/gpt", "OPENAI_BASE_URL"],
  ["house/model", "-"],
  ["ollama/qwen3", "OLLAMA_HOST"],
] as const;

/** Starts a server that redirects every request to another local port or to itself. */
async function redirecting(status: number, to: "other" | "itself") {
  const received: string[] = [];
  const other = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    response.end("{}");
  }).listen(0, "127.0.0.1");
  const server = createServer((request, response) => {
    const { port } = (to === "other" ? other : server).address() as AddressInfo;
    const location = to === "other" ? `http://127.0.0.1:${port}/taken?x=1` : `${request.url}/again`;
    if (request.url?.endsWith("/again") === true) received.push("itself");
    response.writeHead(status, { location }).end();
  }).listen(0, "127.0.0.1");
  await Promise.all([other, server].map(async (each) => new Promise((done) => each.once("listening", done))));
  onTestFinished(() => {
    for (const each of [other, server]) {
      each.closeAllConnections();
      each.close();
    }
  });
  const portOf = (each: typeof server) => (each.address() as AddressInfo).port;
  return { url: `http://127.0.0.1:${portOf(server)}`, other: `127.0.0.1:${portOf(other)}`, received };
}

async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function sourcesFor(variable: string, url: string) {
  const environment = { [variable]: url, ANTHROPIC_API_KEY: "sk-secret-1", OPENAI_API_KEY: "sk-secret-1" };
  const settings = settingsOf({ providers: { house: { kind: "compatible", baseUrl: url } } });
  return { settings, environment, keys: keysOf(environment) };
}

describe("a redirect of a model's server", () => {
  it.each([301, 302, 303, 307, 308])(
    "with status %i is a failure that names where it leads",
    async (status) => {
      for (const [wanted, variable] of WIRES) {
        const { url, other, received } = await redirecting(status, "other");
        const { model } = await chooseModel(wanted, sourcesFor(variable, url));
        const check = await checkModel(model, new AbortController().signal);
        expect(check, wanted).toMatchObject({
          outcome: "failed",
          failure: {
            code: "MODEL_REDIRECTED",
            retry: "never",
            message: expect.stringContaining(`redirects to http://${other}/taken (status ${status})`),
            hint: expect.stringContaining(`If you trust ${other}, make it the provider's base URL`),
          },
        });
        expect(received).toEqual([]);
        expect(JSON.stringify(check)).not.toContain("sk-secret");
      }
    },
  );

  it("is not followed on the same address either", async () => {
    const { url, received } = await redirecting(308, "itself");
    const { model } = await chooseModel("openai/gpt", sourcesFor("OPENAI_BASE_URL", url));
    expect(await checkModel(model, new AbortController().signal)).toMatchObject({
      failure: {
        code: "MODEL_REDIRECTED",
        message: expect.stringContaining("/again (status 308)"),
        hint: expect.stringContaining("If that path is correct, put it in the provider's base URL"),
      },
    });
    expect(received).toEqual([]);
  });

  it.each(["file:///etc/passwd", "javascript:alert(1)", "http://[::1", ""])(
    "to something that is not a web address (%s) counts as one without a usable address",
    async (location) => {
      const url = await listening(
        createServer((_request, response) => response.writeHead(307, { location }).end()),
      );
      const { model } = await chooseModel("openai/gpt", sourcesFor("OPENAI_BASE_URL", url));
      expect(await checkModel(model, new AbortController().signal)).toMatchObject({
        failure: {
          code: "MODEL_REDIRECTED",
          message: expect.stringContaining("redirects without a usable address (status 307)"),
        },
      });
    },
  );

  it("is not followed by the list of models", async () => {
    const { url, received } = await redirecting(307, "other");
    const listed = await listModels(sourcesFor("OLLAMA_HOST", url));
    const whys = listed
      .filter(({ name }) => name === "ollama" || name === "house")
      .map(({ usable }) => usable);
    expect(whys).toEqual(["no", "no"]);
    expect(received).toEqual([]);
  });
});
