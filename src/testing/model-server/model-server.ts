import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isJsonObject, type JsonObject } from "../../record/parts.ts";
import { sendAnswer, sendBody } from "./answer.ts";
import { bytesOf, formatOf, headersOf, keyProblem, pathOf, settle } from "./incoming.ts";
import { type CachePlan, PrefixCache } from "./prefix-cache.ts";
import type { ReceivedRequest, Responder, ScriptedReply, TokenCounts, Wire } from "./script.ts";
import { firstOf, inputOf, parsed, type ReadRequest, type WireFormat } from "./wires/wire.ts";

/** A model server on this machine that replies according to a test's script. */
export interface ModelServer {
  /** The base URL: "http://127.0.0.1:PORT", without `/v1`. */
  readonly url: string;
  /**
   * All requests to a model, including refused requests, in order of arrival. Only the newest 5,000 requests are kept.
   */
  readonly requests: readonly ReceivedRequest[];
  /** Total token counts for all requests that were answered. */
  readonly cache: TokenCounts;
  /** Returns the environment variables that a process needs to reach this server. */
  environment(wire: Wire): Readonly<Record<string, string>>;
  /** Returns the value for `--model` in the environment that `environment` returns. */
  modelFor(wire: Wire): string;
  /** Closes the server and all connections. This ends every silence and every hold. */
  close(): Promise<void>;
}

export async function openModelServer(
  responder: Responder,
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const handler = new RequestHandler(responder, options);
  const server = createServer((request, response) => {
    handler.serve(request, response).catch((error: unknown) => {
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
    requests: handler.requests,
    get cache() {
      return { ...handler.totals };
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

export interface ModelServerOptions {
  /** Counts the tokens in a string. The default is a quarter of the number of bytes, rounded up. */
  readonly tokensOf?: (text: string) => number;
  /** Whether a request without a key is answered with 401 on wires that require a key. The default is "asked". */
  readonly key?: "asked" | "not-asked";
  /** Maximum number of tokens in a request. A longer request is refused. The default is unlimited. */
  readonly window?: number;
  /** The models that the server lists. Requests can name any model. */
  readonly models?: readonly string[];
}

const scriptedModel = "scripted-model";

const MAX_REQUESTS = 5000;

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/**
 * A type whose fields can be changed. The fields of a request change while it is being examined, and a test that has
 * received the request sees the changes.
 */
type Open<T> = { -readonly [Key in keyof T]: T[Key] };

interface Arrived {
  readonly incoming: IncomingMessage;
  readonly bytes: Buffer;
}

interface Looked {
  readonly format: WireFormat;
  readonly read: ReadRequest;
  readonly plan: CachePlan;
  readonly request: Open<ReceivedRequest>;
}

interface Refusal {
  readonly status: 400 | 401;
  readonly why: string;
}

/** Receives requests, decides whether a provider would accept them, and sends the answers. */
class RequestHandler {
  readonly requests: ReceivedRequest[] = [];
  readonly totals: Open<TokenCounts> = { uncached: 0, read: 0, written: 0, output: 0 };
  readonly #responder: Responder;
  readonly #options: ModelServerOptions;
  readonly #tokensOf: (text: string) => number;
  readonly #cache: PrefixCache;
  /**
   * Part of the ids that this server creates. The ids from two servers in one test must differ, because a session may
   * use both servers.
   */
  readonly #name = randomBytes(4).toString("hex");
  #ids = 0;
  #arrived = 0;
  #answered = 0;

  constructor(responder: Responder, options: ModelServerOptions) {
    this.#responder = responder;
    this.#options = options;
    this.#tokensOf = options.tokensOf ?? ((text) => Math.ceil(Buffer.byteLength(text) / 4));
    this.#cache = new PrefixCache(this.#tokensOf);
  }

  /** @internal */
  async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = pathOf(incoming);
    const bytes = await bytesOf(incoming);
    const format = incoming.method === "POST" ? formatOf(path) : undefined;
    if (bytes === undefined) sendBody(response, { status: 413, body: "Request too large" });
    else if (format === undefined) this.#serveList(incoming, response);
    else await this.#serveModel(format, response, { incoming, bytes });
  }

  async #serveModel(format: WireFormat, response: ServerResponse, arrived: Arrived): Promise<void> {
    const looked = this.#look(format, arrived);
    if (looked.request.path.endsWith("/count_tokens")) {
      sendBody(response, { status: 200, body: { input_tokens: looked.request.inputTokens } });
      return;
    }
    this.requests.push(looked.request);
    if (this.requests.length > MAX_REQUESTS) this.requests.shift();
    this.#arrived += 1;
    const refusal = this.#refusal(looked);
    if (refusal !== undefined) {
      looked.request.refused = refusal.why;
      sendBody(response, { status: refusal.status, body: format.error(refusal.status, refusal.why) });
    } else await this.#answer(looked, response);
  }

  #serveList(incoming: IncomingMessage, response: ServerResponse): void {
    const path = pathOf(incoming);
    const asksForKey = !path.startsWith("/api/") && this.#options.key !== "not-asked";
    const keyless = asksForKey ? keyProblem("any", headersOf(incoming.headers)) : undefined;
    const found = listing(path, this.#options.models ?? [scriptedModel], this.#options.window);
    if (found !== undefined && keyless === undefined) {
      sendBody(response, { status: 200, body: found });
      return;
    }
    const [status, type, message] =
      found === undefined
        ? ([404, "not_found_error", `Not found: ${path}`] as const)
        : ([401, "authentication_error", keyless] as const);
    sendBody(response, { status, body: { type: "error", error: { type, message } } });
  }

  #look(format: WireFormat, { incoming, bytes }: Arrived): Looked {
    const body = parsed(bytes.toString("utf8"));
    const read = format.read(isJsonObject(body) ? body : {});
    const plan = this.#cache.plan({ wire: format.wire, model: read.model, blocks: read.blocks });
    const { system, messages, tools, model } = read;
    const request: Open<ReceivedRequest> = {
      index: this.#arrived,
      wire: format.wire,
      path: pathOf(incoming),
      headers: headersOf(incoming.headers),
      body: body ?? null,
      bytes,
      model,
      system,
      messages,
      tools,
      inputTokens: inputOf({ ...plan.counts, output: 0 }),
      cachedTokens: plan.counts.read,
    };
    return { format, read, plan, request };
  }

  #refusal({ format, request }: Looked): Refusal | undefined {
    const keyless = this.#options.key === "not-asked" ? undefined : keyProblem(format.wire, request.headers);
    if (keyless !== undefined) return { status: 401, why: keyless };
    if (!isJsonObject(request.body)) return { status: 400, why: "The request body is not a JSON object" };
    if (format.wire === "anthropic" && request.headers["anthropic-version"] === undefined) {
      return { status: 400, why: "anthropic-version: header is required" };
    }
    const problem = firstOf(format.problems(request.body));
    if (problem !== undefined) return { status: 400, why: problem };
    const window = this.#options.window ?? Number.POSITIVE_INFINITY;
    if (request.inputTokens <= window) return undefined;
    return { status: 400, why: `prompt is too long: ${request.inputTokens} tokens > ${window} maximum` };
  }

  async #answer({ format, read, plan, request }: Looked, response: ServerResponse): Promise<void> {
    const scripted = await this.#ask(request);
    if (scripted === undefined) {
      sendBody(response, { status: 500, body: format.error(500, request.refused ?? "") });
      return;
    }
    const reply = settle(scripted, {
      model: read.model,
      counts: plan.counts,
      tokensOf: this.#tokensOf,
      freshId: (kind) => `${kind}_${this.#name}_${this.#ids++}`,
    });
    if (scripted.misbehave?.do !== "status" && scripted.misbehave?.do !== "silence") {
      plan.keep();
      for (const kind of ["uncached", "read", "written", "output"] as const) {
        this.totals[kind] += reply.usage[kind];
      }
    }
    await sendAnswer(response, { format, scripted, reply, answer: read.answer });
  }

  /**
   * Calls the responder. If the responder throws, the test is incorrect. The error is then recorded in the request's
   * `refused` field, because tests check that field.
   */
  async #ask(request: Open<ReceivedRequest>): Promise<ScriptedReply | undefined> {
    try {
      return await this.#responder(request, this.#answered++);
    } catch (error) {
      request.refused = `The responder failed: ${asError(error).message}`;
      return undefined;
    }
  }
}

const WHEN = "2026-01-01T00:00:00Z";
const WINDOW = 200_000;

/** Returns the answer for a path that lists or describes models, or undefined for any other path. */
function listing(path: string, models: readonly string[], window: number = WINDOW): JsonObject | undefined {
  switch (path) {
    case "/models":
    case "/v1/models":
      return listOf(models);
    case "/api/version":
      return { version: "0.12.0" };
    case "/api/tags":
      return {
        models: models.map((name) => ({ name, model: name, modified_at: WHEN, size: 1000, details: {} })),
      };
    case "/api/show":
      return {
        details: { family: "scripted" },
        model_info: { "general.architecture": "scripted", "scripted.context_length": window },
        capabilities: ["completion", "tools", "thinking"],
      };
    default:
      return undefined;
  }
}

/**
 * Returns the list of models. The same list works for both kinds of clients that use this path, because each kind
 * ignores the fields that the other kind needs.
 */
function listOf(models: readonly string[]): JsonObject {
  return {
    object: "list",
    data: models.map((id) => ({
      id,
      object: "model",
      created: Date.parse(WHEN) / 1000,
      owned_by: "worldline",
      type: "model",
      display_name: id,
      created_at: WHEN,
    })),
    has_more: false,
    first_id: models[0] ?? null,
    last_id: models.at(-1) ?? null,
  };
}
