import { BackgroundCommands } from "../../../agent/tools/bash/background.ts";
import type { Clock } from "../../../ports/clock.ts";
import { isWorldlineError, WorldlineError } from "../../../record/error.ts";
import type { SessionId } from "../../../record/ids.ts";
import { failureOfThrown } from "./failures.ts";
import type { ClaudeSdk, SdkMessage, SdkOptions, SdkPrompt, SdkQuery, SdkResult } from "./sdk-types.ts";

/** The prompts for a running process, which reads them one by one and waits when there are none. */
export class PromptStream implements AsyncIterable<SdkPrompt> {
  readonly #waiting: SdkPrompt[] = [];
  #wake: () => void = () => undefined;
  #isOpen = true;

  push(prompt: SdkPrompt): void {
    this.#waiting.push(prompt);
    this.#wake();
  }

  end(): void {
    this.#isOpen = false;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SdkPrompt> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next !== undefined) yield next;
      else if (!this.#isOpen) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

interface LiveQueryOptions {
  readonly sdk: ClaudeSdk;
  readonly options: SdkOptions;
  /** The SDK session to start or continue. */
  readonly hostSession: string;
  /** Receives every message before the next one is read. If it throws, the conversation ends. */
  readonly onMessage: (message: SdkMessage) => Promise<void>;
}

/** How much of the process's stderr is kept in order to explain why the process died. */
const MAX_STDERR = 8_000;

/** How long a process may take to end an interrupted turn, or to exit, before it is killed. */
const PATIENCE_MS = 5_000;

/** How long a process that could not start may take to throw an error with the reason. */
const THROW_MS = 2_000;

/** Types of messages that are sent only during a model call. */
const TURN_MESSAGES: ReadonlySet<string> = new Set(["assistant", "stream_event"]);

interface RunningTurn {
  readonly prompt: string;
  readonly resolve: (result: SdkResult) => void;
  readonly reject: (error: unknown) => void;
}

/** An SDK process that works on one of the SDK's sessions. */
export class LiveQuery {
  /** The position of the conversation: the last message that our log refers to. Undefined before the first prompt. */
  at: string | undefined;
  /** The message that replaces everything before the last compaction. */
  summary: string | undefined;
  hostSession: string;
  readonly #query: SdkQuery;
  readonly #input = new PromptStream();
  readonly #read: Promise<void>;
  #turn: RunningTurn | undefined;
  /** Prompts that were added to the turn and have not been confirmed yet. */
  readonly #asides = new Set<string>();
  #stderr = "";
  #ended: { readonly error: unknown } | undefined;

  constructor({ sdk, options, hostSession, onMessage }: LiveQueryOptions) {
    this.hostSession = hostSession;
    const stderr = (text: string): void => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR);
    };
    this.#query = sdk.query({ prompt: this.#input, options: { ...options, stderr } });
    this.#read = this.#readAll(onMessage);
  }

  get isAlive(): boolean {
    return this.#ended === undefined;
  }

  get query(): SdkQuery {
    return this.#query;
  }

  /** Sends a prompt. Resolves at the end of the turn that the prompt starts. Rejects if the turn cannot run. */
  async send(prompt: SdkPrompt): Promise<SdkResult> {
    if (this.#ended !== undefined) throw this.#failure(this.#ended.error);
    const ended = new Promise<SdkResult>((resolve, reject) => {
      this.#turn = { prompt: prompt.uuid, resolve, reject };
    });
    this.#input.push(prompt);
    return ended;
  }

  /** Adds a prompt to the running turn. */
  add(prompt: SdkPrompt): void {
    this.#asides.add(prompt.uuid);
    this.#input.push(prompt);
  }

  /** Asks the process to end the turn. Ends the process if it does not respond. */
  async interrupt(): Promise<void> {
    const turn = this.#turn;
    if (turn === undefined) return;
    const late = setTimeout(() => this.#turn === turn && this.#query.close(), PATIENCE_MS);
    late.unref();
    await this.#query.interrupt().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#input.end();
    this.#query.close();
    await Promise.race([this.#read, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref())]);
  }

  async #readAll(onMessage: LiveQueryOptions["onMessage"]): Promise<void> {
    try {
      for await (const message of this.#query) {
        if (this.#turn === undefined && TURN_MESSAGES.has(message.type)) this.#leave(unasked());
        await onMessage(message).catch((error: unknown) => this.#leave(error));
        if (message.type === "result") this.#endTurn(message);
      }
      this.#end(new Error("The process of the Claude Agent SDK has exited."));
    } catch (error) {
      this.#end(error);
      this.#query.close();
    }
  }

  /**
   * Ends the turn that a result is for. Each result lists its prompts, and it may also be for a prompt that no caller
   * is waiting for.
   */
  #endTurn(result: SdkResult): void {
    const { user_message_uuids: processed } = result;
    for (const prompt of processed ?? []) this.#asides.delete(prompt);
    const turn = this.#turn;
    if (turn === undefined || processed?.includes(turn.prompt) === false) return;
    // A process that could not start throws an error right after this result, with a better message.
    if (result.subtype === "error_during_execution" && result.terminal_reason === undefined) {
      setTimeout(() => this.#resolve(turn, result), THROW_MS).unref();
      return;
    }
    this.#resolve(turn, result);
    // The process would start a turn on its own for prompts that it has not processed. Instead, these prompts are sent
    // from our log together with the next prompt.
    if (this.#asides.size > 0) this.#leave(unasked());
  }

  #resolve(turn: RunningTurn, result: SdkResult): void {
    if (this.#turn !== turn) return;
    this.#turn = undefined;
    turn.resolve(result);
  }

  /**
   * Closes the query before the loop is exited. Otherwise, exiting the loop would wait for the process, which may be
   * busy, for example in one of our hooks.
   */
  #leave(error: unknown): never {
    this.#end(error);
    this.#query.close();
    throw error;
  }

  #end(error: unknown): void {
    this.#ended ??= { error };
    this.#turn?.reject(this.#failure(error));
    this.#turn = undefined;
  }

  #failure(error: unknown): WorldlineError {
    return isWorldlineError(error) ? error : failureOfThrown(error, this.#stderr);
  }
}

function unasked(): WorldlineError {
  return new WorldlineError("sdk-turn-unasked", {});
}

/** Returns an id in the SDK's format, which is a random UUID. */
export function newUuid({ random }: Pick<Clock, "random">): string {
  const bytes = Buffer.from(random(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/**
 * Returns the SDK's processes for a session, along with everything that their tools started. The mark of these
 * processes differs from the mark of the session's commands, which are shown to the user as running in the background.
 * A running SDK process must not be on that list.
 */
export function sdkProcesses(session: SessionId): BackgroundCommands {
  return new BackgroundCommands(`claude-${session}`);
}
