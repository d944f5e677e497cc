import type { Session } from "../../../machine/session.ts";
import type { PromptSource } from "../../../ports/agent.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { DraftOf } from "../../../record/entry.ts";
import { WorldlineError } from "../../../record/error.ts";
import { breakTag } from "../../../timeline/context/foreign-text.ts";
import type { KnownModel } from "../models.ts";
import { LiveQuery, newUuid } from "../sdk/process.ts";
import type {
  ClaudeSdk,
  SdkContent,
  SdkMessage,
  SdkOptions,
  SdkPrompt,
  SdkResult,
} from "../sdk/sdk-types.ts";
import { CLAUDE_HOST, findPosition, type Position, routeOptions } from "./position.ts";

export interface ConversationOptions {
  readonly sdk: ClaudeSdk;
  readonly session: Session;
  readonly clock: Clock;
  /** Returns the options for a new process. */
  readonly options: () => SdkOptions;
  readonly onMessage: (message: SdkMessage) => Promise<void>;
  /** Returns the model to record in every `host` entry, so that the model is known when the session is reopened. */
  readonly model: () => KnownModel | undefined;
}

/** A prompt that is ready to be sent, and its place on our branch. */
export interface Utterance {
  readonly prompt: SdkPrompt;
  /** The entry to write together with the prompt. */
  readonly host: DraftOf<"host">;
  readonly position: Position;
  readonly hostSession: string;
  readonly options: Partial<SdkOptions>;
}

/**
 * The conversation with the SDK, regardless of which branch the log is on. Going back only moves the head of our log.
 * The next prompt then goes to the process at the new head's position, or starts a process in a fork of the SDK's
 * session.
 */
export class Conversation {
  readonly #options: ConversationOptions;
  #live: LiveQuery | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  get live(): LiveQuery | undefined {
    return this.#live?.isAlive === true ? this.#live : undefined;
  }

  /**
   * Prepares a prompt for the current place on the branch. Does not send or start anything, but ends a process that is
   * at another position.
   */
  async prepare(words: readonly SdkContent[], source: PromptSource = "typed"): Promise<Utterance> {
    const { sdk, session, clock } = this.#options;
    const standing = await findPosition({
      view: session,
      sdk,
      live: this.live,
      endProcess: async () => this.close(),
    });
    const { route: way, unseen } = standing;
    const known = this.#live?.hostSession ?? "";
    const { hostSession, options } =
      way.how === "live" ? { hostSession: known, options: {} } : routeOptions(way, newUuid(clock));
    const prompt = this.#prompt([...unseen, ...this.#spoken(words)]);
    // The SDK searches the last text for commands and for files to read. Only text that the user typed may contain
    // them.
    const isPersons = source === "typed" && words.some(({ type }) => type === "text");
    const said: SdkPrompt = isPersons ? prompt : { ...prompt, client_composed: true };
    return {
      prompt: said,
      host: this.#place(hostSession, prompt.uuid),
      position: standing,
      hostSession,
      options,
    };
  }

  /** Sends the prompt. Resolves at the end of the turn. The prepared entries must be written before this is called. */
  async send(words: Utterance, signal: AbortSignal): Promise<SdkResult> {
    const live = await this.#liveAt(words, signal);
    const { prompt } = words;
    live.at = prompt.uuid;
    return live.send(prompt);
  }

  /**
   * Sends one of the SDK's own commands. Entries that the SDK has not seen yet are sent first, because a command
   * together with other text would not be recognized.
   */
  async command(command: string, signal: AbortSignal): Promise<SdkResult | "nothing-said-yet"> {
    const words = await this.prepare([]);
    if (words.position.route.how === "new") return "nothing-said-yet";
    const live = await this.#liveAt(words, signal);
    if (words.prompt.message.content.length > 0) {
      await this.#options.session.append(words.host);
      live.at = words.prompt.uuid;
      await live.send({ ...words.prompt, shouldQuery: false });
    }
    return live.send(this.#prompt(this.#spoken([{ type: "text", text: command }])));
  }

  /**
   * Returns the process at the prepared position, or starts one there. `prepare` has already ended any process at
   * another position.
   */
  async #liveAt(
    { position: standing, hostSession, options }: Utterance,
    signal: AbortSignal,
  ): Promise<LiveQuery> {
    if (standing.route.how !== "live") await this.close();
    // An entry that is not sent now comes after the recorded place, so it will be found and sent next time.
    if (signal.aborted) throw new WorldlineError("turn-interrupted", {});
    if (standing.route.how !== "live") {
      const { sdk, onMessage } = this.#options;
      this.#live = new LiveQuery({
        sdk,
        hostSession,
        onMessage,
        options: { ...this.#options.options(), ...options },
      });
    }
    return this.#live as LiveQuery;
  }

  /** Returns a prompt for the running turn. The caller first writes the prompt to the log and then sends it. */
  aside(words: readonly SdkContent[]): { readonly host: DraftOf<"host">; readonly say: () => void } {
    const live = this.#live as LiveQuery;
    const prompt: SdkPrompt = { ...this.#prompt(this.#spoken(words)), priority: "next" };
    return {
      host: this.#place(live.hostSession, prompt.uuid),
      say: () => {
        live.at = prompt.uuid;
        live.add(prompt);
      },
    };
  }

  /** Returns the entry for a message that the SDK's session has reached. */
  placed(message: string): DraftOf<"host"> {
    const live = this.#live as LiveQuery;
    live.at = message;
    return this.#place(live.hostSession, message);
  }

  /**
   * Returns the entries for a compaction by the SDK. A summary replaces everything before it. `preserved` messages
   * follow the summary, and the SDK continues after them.
   */
  compacted(summary: string, preserved: ReadonlySet<string>): readonly DraftOf<"host">[] {
    const live = this.#live as LiveQuery;
    const { at } = live;
    live.summary = summary;
    const place = this.placed(summary);
    return at !== undefined && preserved.has(at) ? [place, this.placed(at)] : [place];
  }

  async close(): Promise<void> {
    const live = this.#live;
    this.#live = undefined;
    await live?.close();
  }

  /** Breaks up the session's tag in the user's text, because only our own text may contain the tag. */
  #spoken(words: readonly SdkContent[]): readonly SdkContent[] {
    const { header } = this.#options.session;
    return words.map((block) =>
      block.type === "text" ? { ...block, text: breakTag(block.text, header) } : block,
    );
  }

  #place(hostSession: string, message: string): DraftOf<"host"> {
    return { kind: "host", host: CLAUDE_HOST, hostSession, message, ...this.#options.model() };
  }

  #prompt(content: readonly SdkContent[]): SdkPrompt {
    return {
      type: "user",
      uuid: newUuid(this.#options.clock),
      message: { role: "user", content },
      parent_tool_use_id: null,
    };
  }
}
