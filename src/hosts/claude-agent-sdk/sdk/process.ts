import { BackgroundCommands } from "../../../agent/tools/bash/bash.ts";
import type { Clock } from "../../../ports/clock.ts";
import { isWorldlineError, type WorldlineError } from "../../../record/error.ts";
import type { SessionId } from "../../../record/ids.ts";
import { failureOfThrown } from "./failures.ts";
import type { ClaudeSdk, SdkMessage, SdkOptions, SdkPrompt, SdkQuery, SdkResult } from "./sdk-types.ts";

interface LiveQueryOptions {
  readonly sdk: ClaudeSdk;
  readonly options: SdkOptions;
  /** The SDK's session that is begun or gone on with. */
  readonly hostSession: string;
  /** Hears every message before the next one is read; what it throws ends the conversation. */
  readonly onMessage: (message: SdkMessage) => Promise<void>;
}

/** How much of what the process prints to stderr is kept, to say why it died. */
const MAX_STDERR = 8_000;

/** How long a process may take to end a turn that was interrupted, or itself, before it is ended. */
const PATIENCE_MS = 5_000;

/** How long a process that could not begin may take to throw why. */
const THROW_MS = 2_000;

/** What only comes where a model is asked. */
const TURN_MESSAGES: ReadonlySet<string> = new Set(["assistant", "stream_event"]);
const UNASKED = "The Claude Agent SDK began a turn that nobody asked for, and was ended.";

interface RunningTurn {
  readonly prompt: string;
  readonly resolve: (result: SdkResult) => void;
  readonly reject: (error: unknown) => void;
}

/** A process of the SDK that is at work on one of its sessions. */
export class LiveQuery {
  /** Where the conversation stands: the last message that our log knows. Undefined before the first prompt. */
  at: string | undefined;
  /** What stands for everything before the last compaction. */
  summary: string | undefined;
  hostSession: string;
  readonly #query: SdkQuery;
  readonly #input = new PromptStream();
  readonly #read: Promise<void>;
  #turn: RunningTurn | undefined;
  /** What was put into the turn and is not known to have been heard. */
  readonly #asides = new Set<string>();
  #stderr = "";
  #ended: { readonly error: unknown } | undefined;

  constructor({ sdk, options, hostSession, onMessage: hear }: LiveQueryOptions) {
    this.hostSession = hostSession;
    const stderr = (text: string): void => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR);
    };
    this.#query = sdk.query({ prompt: this.#input, options: { ...options, stderr } });
    this.#read = this.#readAll(hear);
  }

  get isAlive(): boolean {
    return this.#ended === undefined;
  }

  get query(): SdkQuery {
    return this.#query;
  }

  /** Resolves with the end of the turn that the prompt begins; rejects where there is none. */
  async send(prompt: SdkPrompt): Promise<SdkResult> {
    if (this.#ended !== undefined) throw this.#failure(this.#ended.error);
    const ended = new Promise<SdkResult>((resolve, reject) => {
      this.#turn = { prompt: prompt.uuid, resolve, reject };
    });
    this.#input.push(prompt);
    return ended;
  }

  /** Into the turn that runs. */
  add(prompt: SdkPrompt): void {
    this.#asides.add(prompt.uuid);
    this.#input.push(prompt);
  }

  /** Asks the turn to end; a process that does not hear is ended itself. */
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

  async #readAll(hear: LiveQueryOptions["onMessage"]): Promise<void> {
    try {
      for await (const message of this.#query) {
        if (this.#turn === undefined && TURN_MESSAGES.has(message.type)) this.#leave(new Error(UNASKED));
        await hear(message).catch((error: unknown) => this.#leave(error));
        if (message.type === "result") this.#endTurn(message);
      }
      this.#end(new Error("The process of the Claude Agent SDK has ended."));
    } catch (error) {
      this.#end(error);
      this.#query.close();
    }
  }

  /** Each result says which prompts it was about, and there may be one for what nobody waits for. */
  #endTurn(result: SdkResult): void {
    const { user_message_uuids: heard } = result;
    for (const prompt of heard ?? []) this.#asides.delete(prompt);
    const turn = this.#turn;
    if (turn === undefined || heard?.includes(turn.prompt) === false) return;
    // A process that could not begin throws what was wrong right behind this, in words that say more.
    if (result.subtype === "error_during_execution" && result.terminal_reason === undefined) {
      setTimeout(() => this.#resolve(turn, result), THROW_MS).unref();
      return;
    }
    this.#resolve(turn, result);
    // It would begin a turn of its own for what it has not heard; our log tells it at the next prompt.
    if (this.#asides.size > 0) this.#leave(new Error(UNASKED));
  }

  #resolve(turn: RunningTurn, result: SdkResult): void {
    if (this.#turn !== turn) return;
    this.#turn = undefined;
    turn.resolve(result);
  }

  /** Closed before the loop is left, which would wait for the process: that may be at anything, such as a hook of ours. */
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

/** What is said to a process, as long as it runs: it reads one prompt after the other, and waits in between. */
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

/** An id as the SDK wants its own: a random UUID. */
export function newUuid({ random }: Pick<Clock, "random">): string {
  const bytes = Buffer.from(random(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/**
 * The processes of the SDK that work for a session, with all that their tools started. Their mark is none of the session's
 * commands: those are shown to the person as what runs in the background, and a living process of the SDK is not.
 */
export function sdkProcesses(session: SessionId): BackgroundCommands {
  return new BackgroundCommands(`claude-${session}`);
}
