import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import {
  isWorldlineError,
  type OpenAgentOptions,
  type OpenedAgent,
  openAgent,
  type PermissionAnswer,
} from "worldline";

/** The options of this front end. */
export interface ServeOptions extends OpenAgentOptions {
  readonly port?: number;
}

/**
 * An agent behind HTTP, reachable only from this machine: prompts stream events, and the timeline can be
 * rewound and redone.
 */
export async function serve({ port = 0, ...options }: ServeOptions) {
  const asked = new Map<string, (answer: PermissionAnswer) => void>();
  const agent = await openAgent({
    ...options,
    // The question is the event "doing: asking" in the prompt's stream; POST /permissions/<call> answers it.
    permission: async ({ call }, signal) =>
      new Promise<PermissionAnswer>((resolve) => {
        asked.set(call, resolve);
        signal.addEventListener("abort", () => resolve({ answer: "no", reason: "Interrupted." }));
      }).finally(() => asked.delete(call)),
  });
  const token = randomBytes(16).toString("hex");
  const server = createServer((request, response) => {
    respond({ agent, asked, token }, request, response).catch((error: unknown) => {
      const { status, body } = failureOf(error);
      // A stream has already sent its status, so the error goes into its body.
      if (response.headersSent) response.end(`${JSON.stringify(body)}\n`);
      else send(response, status, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { token, url, close: async () => agent.close().finally(() => server.close()) };
}

interface Context {
  readonly agent: OpenedAgent;
  readonly asked: ReadonlyMap<string, (answer: PermissionAnswer) => void>;
  readonly token: string;
}

async function respond(
  { agent, asked, token }: Context,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Any page in a browser can send requests to this address, but it does not know the token.
  if (!isSame(request.headers.authorization ?? "", `Bearer ${token}`)) return send(response, 401, {});
  const [, action = "", call = ""] = (request.url ?? "").split("/");
  switch (`${request.method} ${action}`) {
    case "GET checkpoints":
      return send(response, 200, await agent.checkpoints());
    case "POST prompt":
      return stream(agent, await json(request), response);
    case "POST permissions": {
      const answer = asked.get(decodeURIComponent(call));
      answer?.((await json(request)) as PermissionAnswer);
      return send(response, answer === undefined ? 404 : 200, {});
    }
    case "POST preview":
      return send(response, 200, await agent.previewRewind(numberIn(await json(request))));
    case "POST rewind":
      return send(response, 200, await agent.rewind(numberIn(await json(request))));
    case "POST redo":
      return send(response, 200, await agent.redo());
    default:
      return send(response, 404, {});
  }
}

/** One JSON document per line, until the turn has ended. A client that disconnects interrupts the turn. */
async function stream(agent: OpenedAgent, body: unknown, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  const stop = agent.on((event) => response.write(`${JSON.stringify(event)}\n`));
  try {
    await agent.prompt((body as { readonly text: string }).text, { signal: gone.signal });
  } finally {
    stop();
  }
  response.end();
}

const numberIn = (body: unknown): number => (body as { readonly to: number }).to;

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function failureOf(error: unknown): { readonly status: number; readonly body: unknown } {
  if (!isWorldlineError(error)) return { status: 400, body: { error: { message: String(error) } } };
  const { code, message, hint } = error;
  return { status: code === "TURN_RUNNING" ? 409 : 422, body: { error: { code, message, hint } } };
}

function isSame(given: string, expected: string): boolean {
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}
