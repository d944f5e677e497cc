import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import type { Client, JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { type Problem, problemIn, problemOf, type Remark, remark } from "../../record/error.ts";
import { isJsonObject } from "../../record/parts.ts";
import type { Tool } from "../tools/tool.ts";
import { type Environment, expandServer, type McpConfig, type McpServer, passedOn } from "./config.ts";
import { serverTool, takeUsableParts, type UnusableTool } from "./server-tool.ts";

/** A problem with one server. Only that server's tools are missing. */
export interface McpTrouble {
  readonly server: string;
  readonly problem: Problem;
}

export interface McpOptions {
  readonly workspace: string;
  /** Stops connecting. */
  readonly signal: AbortSignal;
  /**
   * The environment that supplies the values for `${VARIABLES}` in the configuration. Servers inherit only the
   * variables that every program needs.
   */
  readonly environment: Environment;
  /** The `fetch` used for servers over HTTP. */
  readonly fetch: typeof globalThis.fetch;
  readonly onTrouble: (trouble: McpTrouble) => void;
  readonly connectMs?: number;
  readonly callMs?: number;
}

export interface McpConnections {
  readonly tools: readonly Tool[];
  /** Terminates all server processes. */
  close(): Promise<void>;
}

type Sdk = typeof import("@modelcontextprotocol/client");

interface Connection {
  readonly tools: readonly Tool[];
  close(): Promise<void>;
}

const CONNECT_MS = 10_000;
/** How long a server may be silent, whether it runs as a process or is reached over HTTP. */
const CALL_MS = 300_000;

/**
 * Connects to all servers in parallel, each with its own time limit. A failing server never makes this function reject.
 */
export async function connectMcp(config: McpConfig, options: McpOptions): Promise<McpConnections> {
  if (config.servers.length === 0) return { tools: [], close: async () => {} };
  // The SDK is large, so it is loaded only if there are servers.
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

/** Removes duplicates: if two tools end up with the same name, the first one is used. */
function distinct(tools: readonly Tool[]): Tool[] {
  return [...new Map(tools.toReversed().map((tool) => [tool.name, tool])).values()].toReversed();
}

async function connect(sdk: Sdk, server: McpServer, options: McpOptions): Promise<Connection | undefined> {
  const { name } = server;
  const report = (problem: Remark) => options.onTrouble({ server: name, problem: problemIn(problem) });
  const expanded = expandServer(server, options.environment);
  if ("missing" in expanded) {
    report(remark("mcp-variables-missing", { server: name, variables: expanded.missing }));
    return undefined;
  }
  let transport: Transport | undefined;
  try {
    transport = transportFor(sdk, expanded.server, options);
    return await open(sdk, { server, transport, options, report });
  } catch (error) {
    await transport?.close().catch(() => undefined);
    const { lastWords: said = "", fault = faultOf(error) } =
      transport instanceof ProcessTransport ? transport : {};
    report(remark("mcp-not-started", { server: name, problem: fault, said }));
    return undefined;
  }
}

interface Opening {
  readonly server: McpServer;
  readonly transport: Transport;
  readonly options: McpOptions;
  readonly report: (problem: Remark) => void;
}

/**
 * A server fault that Worldline itself detected. Other faults come from the system and the SDK, with their own
 * messages.
 */
class ServerFault extends Error {
  readonly problem: Problem;

  constructor(why: Remark) {
    super(why.why);
    this.problem = problemIn(why);
  }
}

function faultOf(error: unknown): Problem {
  return error instanceof ServerFault ? error.problem : problemOf(error);
}

async function open(sdk: Sdk, { server, transport, options, report }: Opening): Promise<Connection> {
  const { connectMs: timeout = CONNECT_MS, callMs = CALL_MS } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(timeout)]);
  takeUsableParts(transport, sdk, (tools) => report(unusable(server.name, tools)));
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
    report(remark("mcp-ended", { server: server.name }));
  };
  const gone = () => (state === "open" ? undefined : `The MCP server ${server.name} has exited.`);
  return {
    tools: tools.map((spec) => serverTool({ server: server.name, client, spec, callMs, gone })),
    close: async () => {
      if (state === "open") state = "closing";
      await client.close().catch(() => undefined);
      // A client whose server has exited drops its transport, even though processes in the server's group may still be
      // running.
      await transport.close().catch(() => undefined);
    },
  };
}

const SHOWN = 5;

function unusable(server: string, tools: readonly UnusableTool[]): Remark {
  const more = Math.max(0, tools.length - SHOWN);
  return remark("mcp-tools-unusable", { server, tools: tools.slice(0, SHOWN), more });
}

function aborted(signal: AbortSignal, timeout: number): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () =>
      reject(
        new ServerFault(
          signal.reason?.name === "TimeoutError"
            ? remark("mcp-silent", { milliseconds: timeout })
            : remark("mcp-interrupted"),
        ),
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

export interface ServerProcess {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly parse: (value: unknown) => JSONRPCMessage;
}

/**
 * Maximum number of lines that are not messages. A server may print a greeting, but a program that is not a server
 * keeps printing.
 */
const MAX_STRAY = 1_000;
/** The notifications that we handle. A server may send other notifications as often as it likes. */
const HEEDED = new Set(["notifications/progress", "notifications/cancelled"]);
const MAX_LINE = 16_000_000;
/** The size limit for input that a server has not read yet. */
const MAX_UNREAD = 32_000_000;
const LAST_WORDS = 1_000;
const PATIENCE_MS = 700;

/**
 * A server as a child process that exchanges messages line by line. Unlike the SDK's own transport, this one terminates
 * the whole process group, because servers are often started by a launcher that does not terminate its child.
 */
class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #given: ServerProcess;
  readonly #decoder = new StringDecoder("utf8");
  #child: ChildProcessWithoutNullStreams | undefined;
  #ended: Promise<void> = Promise.resolve();
  /** The pieces of an incomplete line. */
  #started: string[] = [];
  #length = 0;
  #strays = 0;
  #lastWords = "";
  #fault: Problem | undefined;

  constructor(given: ServerProcess) {
    this.#given = given;
  }

  /** The end of the server's standard error output, used to explain why the server exited. */
  get lastWords(): string {
    return this.#lastWords.trim();
  }

  /** Why Worldline stopped reading from the server, or undefined if it did not stop. */
  get fault(): Problem | undefined {
    return this.#fault;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#given;
    const child = spawn(command, [...args], { env: { ...env }, cwd, detached: true, windowsHide: true });
    this.#child = child;
    child.stdin.on("error", (error) => this.onerror?.(error));
    child.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString("utf8")).slice(-LAST_WORDS);
    });
    this.#ended = new Promise((resolve) => {
      child.once("exit", () => {
        // The other processes in the group are useless without the server.
        signalGroup(child, "SIGKILL");
        resolve();
      });
      child.once("error", () => resolve());
    });
    // `close` is emitted after all of the server's output has been read.
    child.once("close", () => this.onclose?.());
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === undefined || !stdin.writable) throw new ServerFault(remark("mcp-ended-early"));
    if (stdin.writableLength > MAX_UNREAD) this.#giveUp(remark("mcp-answers-unread"));
    await new Promise<void>((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Resolves when no server process is left. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.pid === undefined) return;
    child.stdin.end();
    child.stdout.removeAllListeners("data").resume();
    if (await this.#isEnded()) return;
    signalGroup(child, "SIGTERM");
    if (await this.#isEnded()) return;
    signalGroup(child, "SIGKILL");
    await this.#ended;
  }

  async #isEnded(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), PATIENCE_MS);
    });
    const ended = await Promise.race([this.#ended.then(() => true as const), late]);
    clearTimeout(timer);
    return ended;
  }

  #receive(chunk: Buffer): void {
    const [rest = "", ...lines] = this.#decoder.write(chunk).split("\n");
    this.#started.push(rest);
    this.#length += rest.length;
    // Pieces are joined only when the line is complete. Joining each piece of a long line would copy the line again and
    // again.
    for (const line of lines) {
      this.#take(this.#started.join(""));
      this.#started = [line];
      this.#length = line.length;
    }
    if (this.#length > MAX_LINE) this.#giveUp(remark("mcp-line-too-long", { most: MAX_LINE }));
  }

  /** Stops reading from the server. */
  #giveUp(why: Remark): void {
    this.#started = [];
    this.#length = 0;
    this.#child?.stdout.removeAllListeners("data").destroy();
    const fault = new ServerFault(why);
    this.#fault = fault.problem;
    this.onerror?.(fault);
    void this.close();
  }

  /** Passes on a message. Lines that are not messages, such as a greeting on standard output, are skipped. */
  #take(line: string): void {
    if (line.trim() === "") return;
    let value: unknown;
    try {
      value = JSON.parse(line);
      if (isJsonObject(value) && value["id"] === undefined && !HEEDED.has(String(value["method"]))) return;
      this.onmessage?.(this.#given.parse(value));
    } catch (error) {
      this.#strays += 1;
      if (this.#strays > MAX_STRAY) this.#giveUp(remark("mcp-not-messages"));
      else this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      const failed = failureFor(value);
      if (failed !== undefined) this.onmessage?.(failed);
    }
  }
}

/**
 * Returns an error response for an unusable response, so that its call fails now instead of waiting for the time limit.
 */
function failureFor(value: unknown): JSONRPCMessage | undefined {
  if (!isJsonObject(value) || value["method"] !== undefined) return undefined;
  const { id } = value;
  if (typeof id !== "string" && typeof id !== "number") return undefined;
  return { jsonrpc: "2.0", id, error: { code: -32_603, message: "The server's response is malformed." } };
}

function signalGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // All processes in the group have exited.
  }
}
