import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isJsonObject } from "../../record/json.ts";

export interface ServerProcess {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly parse: (value: unknown) => JSONRPCMessage;
}

/** Lines that are not messages: a greeting is one, a program that is not a server prints on. */
const MAX_STRAY = 1_000;
/** Those that we act on. A server may send the others as often as it likes. */
const HEEDED = new Set(["notifications/progress", "notifications/cancelled"]);
const MAX_LINE = 16_000_000;
/** Of what waits for a server that does not read. */
const MAX_UNREAD = 32_000_000;
const LAST_WORDS = 1_000;
const PATIENCE_MS = 700;

/**
 * A server as a process of ours, spoken to line by line. Unlike the SDK's own transport it ends the whole process group, because
 * servers are often started by a launcher that does not take its child with it.
 */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #given: ServerProcess;
  readonly #decoder = new StringDecoder("utf8");
  #child: ChildProcessWithoutNullStreams | undefined;
  #ended: Promise<void> = Promise.resolve();
  /** The pieces of a line that has not ended, and their length. */
  #started: string[] = [];
  #length = 0;
  #strays = 0;
  #lastWords = "";

  constructor(given: ServerProcess) {
    this.#given = given;
  }

  /** The end of what it said on its standard error, for whoever wonders why it ended. */
  get lastWords(): string {
    return this.#lastWords.trim();
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#given;
    const child = spawn(command, [...args], { env: { ...env }, cwd, detached: true, windowsHide: true });
    this.#child = child;
    child.stdin.on("error", (error) => this.onerror?.(error));
    child.stdout.on("data", (chunk: Buffer) => this.#hear(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      this.#lastWords = (this.#lastWords + chunk.toString("utf8")).slice(-LAST_WORDS);
    });
    this.#ended = new Promise((resolve) => {
      child.once("exit", () => {
        // Whoever is left of its group has lost its reason to be.
        signalGroup(child, "SIGKILL");
        resolve();
      });
      child.once("error", () => resolve());
    });
    // All that it said comes before its end.
    child.once("close", () => this.onclose?.());
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === undefined || !stdin.writable) throw new Error("the server has ended");
    if (stdin.writableLength > MAX_UNREAD) this.#giveUp("it asks, and does not read the answers");
    await new Promise<void>((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Resolves when no process of the server is left. */
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

  #hear(chunk: Buffer): void {
    const [rest = "", ...lines] = this.#decoder.write(chunk).split("\n");
    this.#started.push(rest);
    this.#length += rest.length;
    // Only a line that is whole is joined: of a long one, each piece would copy all before it.
    for (const line of lines) {
      this.#take(this.#started.join(""));
      this.#started = [line];
      this.#length = line.length;
    }
    if (this.#length > MAX_LINE) this.#giveUp(`it sent a line of more than ${MAX_LINE} characters`);
  }

  /** What it sends from now on is not read. */
  #giveUp(why: string): void {
    this.#started = [];
    this.#length = 0;
    this.#child?.stdout.removeAllListeners("data").destroy();
    this.#lastWords += ` (${why})`;
    this.onerror?.(new Error(why));
    void this.close();
  }

  /** A line that is not a message, such as a greeting on standard output, costs that line. */
  #take(line: string): void {
    if (line.trim() === "") return;
    let value: unknown;
    try {
      value = JSON.parse(line);
      if (isJsonObject(value) && value["id"] === undefined && !HEEDED.has(String(value["method"]))) return;
      this.onmessage?.(this.#given.parse(value));
    } catch (error) {
      this.#strays += 1;
      if (this.#strays > MAX_STRAY) this.#giveUp("most of what it prints is not a message");
      else this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      const failed = failureFor(value);
      if (failed !== undefined) this.onmessage?.(failed);
    }
  }
}

/** An answer that cannot be used is still one: its call fails now, and does not wait until its time is over. */
function failureFor(value: unknown): JSONRPCMessage | undefined {
  if (!isJsonObject(value) || value["method"] !== undefined) return undefined;
  const { id } = value;
  if (typeof id !== "string" && typeof id !== "number") return undefined;
  return { jsonrpc: "2.0", id, error: { code: -32_603, message: "The server's answer is malformed." } };
}

function signalGroup(child: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // Nobody of it is left.
  }
}
