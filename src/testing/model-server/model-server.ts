import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { sendBody } from "./answer.ts";
import { Desk, type ModelServerOptions, scriptedModel } from "./desk.ts";
import type { ReceivedRequest, Responder, TokenCounts, Wire } from "./script.ts";

/** A model's server on this machine that says what a test wrote. */
export interface ModelServer {
  /** "http://127.0.0.1:PORT", without `/v1`. */
  readonly url: string;
  /** Every request of a model, refused ones too, in the order of their arrival; the newest 5,000. */
  readonly requests: readonly ReceivedRequest[];
  /** Tokens of all requests that were answered. */
  readonly cache: TokenCounts;
  /** What a process needs in its environment to reach this server. */
  environment(wire: Wire): Readonly<Record<string, string>>;
  /** What to give to `--model` beside that environment. */
  modelFor(wire: Wire): string;
  /** Ends open connections too, and with them every silence and hold. */
  close(): Promise<void>;
}

export async function openModelServer(
  responder: Responder,
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const desk = new Desk(responder, options);
  const server = createServer((request, response) => {
    desk.serve(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendBody(response, { status: 500, body: `The scripted model server failed: ${String(error)}` });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests: desk.requests,
    get cache() {
      return { ...desk.totals };
    },
    environment: (wire) => environmentOf(wire, url),
    modelFor: (wire) => `${providers[wire]}/${scriptedModel}`,
    close: () => closed(server),
  };
}

const providers = { anthropic: "anthropic", chat: "openai-chat", responses: "openai", ollama: "ollama" };

function environmentOf(wire: Wire, url: string): Readonly<Record<string, string>> {
  switch (wire) {
    case "anthropic":
      return { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "scripted-key" };
    case "ollama":
      return { OLLAMA_HOST: url };
    default:
      return { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "scripted-key" };
  }
}

async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
