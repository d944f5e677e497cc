import type { Client, Transport } from "@modelcontextprotocol/client";
import type { Tool } from "../tools/tool.ts";
import { type Environment, expandServer, type McpConfig, type McpServer, passedOn } from "./config.ts";
import { ProcessTransport } from "./process-transport.ts";
import { reasonOf, serverTool } from "./server-tool.ts";
import { takeUsableParts, type UnusableTool } from "./usable-parts.ts";

/** What went wrong with one server; it costs the tools of that server and nothing else. */
export interface McpTrouble {
  readonly server: string;
  readonly message: string;
  readonly hint: string;
}

export interface McpOptions {
  readonly workspace: string;
  /** Stops connecting. */
  readonly signal: AbortSignal;
  /** For `${VARIABLES}`; servers get only the harmless part of it. */
  readonly environment: Environment;
  /** For servers that are reached over HTTP. */
  readonly fetch: typeof globalThis.fetch;
  readonly onTrouble: (trouble: McpTrouble) => void;
  readonly connectMs?: number;
  readonly callMs?: number;
}

export interface McpConnections {
  readonly tools: readonly Tool[];
  /** Leaves no process behind. */
  close(): Promise<void>;
}

type Sdk = typeof import("@modelcontextprotocol/client");

interface Connection {
  readonly tools: readonly Tool[];
  close(): Promise<void>;
}

const CONNECT_MS = 10_000;
/** How long a server may be silent: also the limit of its connection over HTTP. */
const CALL_MS = 300_000;
const HINT = "Look at its entry in .mcp.json; everything else works without it.";

/** Connects to all servers at once, each within its time. Never rejects because of a server. */
export async function connectMcp(config: McpConfig, options: McpOptions): Promise<McpConnections> {
  if (config.servers.length === 0) return { tools: [], close: async () => {} };
  // Only who has servers pays for the SDK.
  const sdk = await import("@modelcontextprotocol/client");
  const connections = await Promise.all(config.servers.map((server) => connect(sdk, server, options)));
  const made = connections.filter((each) => each !== undefined);
  return {
    tools: distinct(made.flatMap(({ tools }) => tools)),
    close: async () => {
      await Promise.all(made.map((each) => each.close()));
    },
  };
}

/** Of two tools whose names became the same, the first one counts. */
function distinct(tools: readonly Tool[]): Tool[] {
  return [...new Map(tools.toReversed().map((tool) => [tool.name, tool])).values()].toReversed();
}

async function connect(sdk: Sdk, server: McpServer, options: McpOptions): Promise<Connection | undefined> {
  const tell = (message: string) => options.onTrouble({ server: server.name, message, hint: HINT });
  const expanded = expandServer(server, options.environment);
  if ("missing" in expanded) {
    tell(`The MCP server ${server.name} needs variables that are not set: ${expanded.missing.join(", ")}.`);
    return undefined;
  }
  let transport: Transport | undefined;
  try {
    transport = transportFor(sdk, expanded.server, options);
    return await open(sdk, { server, transport, options, tell });
  } catch (error) {
    await transport?.close().catch(() => undefined);
    const words = transport instanceof ProcessTransport ? transport.lastWords : "";
    const said = words === "" ? "" : ` It said: ${words}`;
    tell(`The MCP server ${server.name} did not start: ${reasonOf(error)}.${said}`);
    return undefined;
  }
}

interface Opening {
  readonly server: McpServer;
  readonly transport: Transport;
  readonly options: McpOptions;
  readonly tell: (message: string) => void;
}

async function open(sdk: Sdk, { server, transport, options, tell }: Opening): Promise<Connection> {
  const { connectMs: timeout = CONNECT_MS, callMs = CALL_MS } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(timeout)]);
  takeUsableParts(transport, sdk, (tools) => tell(unusableText(server.name, tools)));
  const client: Client = new sdk.Client({ name: "worldline", version: "1" });
  await Promise.race([client.connect(transport, { timeout, signal }), aborted(signal, timeout)]);
  const { tools } = await Promise.race([
    client.listTools(undefined, { timeout, signal }),
    aborted(signal, timeout),
  ]);

  let state: "open" | "closing" | "gone" = "open";
  client.onclose = () => {
    if (state !== "open") return;
    state = "gone";
    tell(`The MCP server ${server.name} has ended; its tools cannot be used any more.`);
  };
  const gone = () => (state === "open" ? undefined : `The MCP server ${server.name} has ended.`);
  return {
    tools: tools.map((spec) => serverTool({ server: server.name, client, spec, callMs, gone })),
    close: async () => {
      if (state === "open") state = "closing";
      await client.close().catch(() => undefined);
      // A client whose server has ended forgets its transport, and with it what may be left of its group.
      await transport.close().catch(() => undefined);
    },
  };
}

const SHOWN = 5;

function unusableText(server: string, tools: readonly UnusableTool[]): string {
  const shown = tools.slice(0, SHOWN).map(({ name, why }) => `${name} (${why})`);
  const more = tools.length > SHOWN ? `, and ${tools.length - SHOWN} more` : "";
  return `The MCP server ${server} names tools that cannot be used: ${shown.join(", ")}${more}.`;
}

function aborted(signal: AbortSignal, timeout: number): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () =>
      reject(
        new Error(signal.reason?.name === "TimeoutError" ? `no answer within ${timeout} ms` : "interrupted"),
      );
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

function transportFor(sdk: Sdk, server: McpServer, options: McpOptions): Transport {
  if (server.kind === "http") {
    return new sdk.StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { ...server.headers } },
      fetch: options.fetch,
    });
  }
  return new ProcessTransport({
    command: server.command,
    args: server.args,
    env: { ...passedOn(options.environment), ...server.env },
    cwd: options.workspace,
    parse: sdk.parseJSONRPCMessage,
  });
}
