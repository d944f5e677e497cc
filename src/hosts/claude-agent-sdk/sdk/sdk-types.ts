import type { Json } from "../../../record/parts.ts";

/**
 * The part of `@anthropic-ai/claude-agent-sdk` that we use, declared as our own types. The package is proprietary,
 * takes up 414 MB, and is usually not installed, so our code must not depend on its types. A test compares this file
 * with the real package.
 */
export interface ClaudeSdk {
  query(asked: { readonly prompt: AsyncIterable<SdkPrompt>; readonly options: SdkOptions }): SdkQuery;
  /**
   * Returns the messages from the last compaction to the end, which a continued session would use. The list is empty if
   * the session does not exist.
   */
  getSessionMessages(session: string, at: SdkPlace): Promise<readonly SdkStoredMessage[]>;
  /** Copies a session up to a message, even a message before a compaction. Every message in the copy has a new id. */
  forkSession(
    session: string,
    at: SdkPlace & { readonly upToMessageId?: string },
  ): Promise<{ readonly sessionId: string }>;
  createSdkMcpServer(server: {
    readonly name: string;
    readonly version?: string;
    readonly alwaysLoad?: boolean;
    readonly tools: readonly unknown[];
  }): unknown;
  tool(
    name: string,
    description: string,
    /** A zod 4 shape. */
    shape: Readonly<Record<string, unknown>>,
    handler: (input: unknown, extra: unknown) => Promise<SdkToolResult>,
  ): unknown;
}

/**
 * The location of a session. `dir` is the folder that the session works in, which determines where the SDK stores the
 * session.
 */
export interface SdkPlace {
  readonly dir: string;
}

export interface SdkStoredMessage {
  readonly type: string;
  readonly uuid: string;
}

export interface SdkToolResult {
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly isError?: boolean;
}

/** A conversation in a separate process, and an iterator over its messages. */
export interface SdkQuery extends AsyncIterable<SdkMessage> {
  interrupt(): Promise<unknown>;
  setPermissionMode(mode: SdkPermissionMode): Promise<void>;
  setModel(model?: string): Promise<void>;
  supportedModels(): Promise<readonly SdkModel[]>;
  /** Returns the context usage. `rawMaxTokens` is the model's window. */
  getContextUsage(options: { readonly detail: "summary" }): Promise<{ readonly rawMaxTokens: number }>;
  rewindFiles(prompt: string, options?: { readonly dryRun?: boolean }): Promise<SdkRewind>;
  close(): void;
}

export interface SdkModel {
  readonly value: string;
  readonly resolvedModel?: string;
  readonly displayName: string;
  readonly description: string;
}

export interface SdkRewind {
  readonly canRewind: boolean;
  readonly error?: string;
  /** Absolute paths of the changed files. Present only for a dry run. */
  readonly filesChanged?: readonly string[];
  readonly insertions?: number;
  readonly deletions?: number;
  readonly skippedLinks?: number;
}

export type SdkPermissionMode = "default" | "acceptEdits" | "plan";

export interface SdkOptions {
  readonly cwd: string;
  /** The complete environment of the process, which replaces the current one. */
  readonly env: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly permissionMode?: SdkPermissionMode;
  readonly disallowedTools?: readonly string[];
  readonly settingSources: readonly ("user" | "project" | "local")[];
  readonly systemPrompt?: {
    readonly type: "preset";
    readonly preset: "claude_code";
    readonly append: string;
  };
  readonly includePartialMessages?: boolean;
  readonly forwardSubagentText?: boolean;
  readonly enableFileCheckpointing?: boolean;
  readonly persistSession?: boolean;
  /** The id for the new session or fork. */
  readonly sessionId?: string;
  readonly resume?: string;
  /** Continues the session up to and including this message. */
  readonly resumeSessionAt?: string;
  readonly forkSession?: boolean;
  readonly canUseTool?: SdkCanUseTool;
  readonly hooks?: SdkHooks;
  readonly mcpServers?: Readonly<Record<string, unknown>>;
  readonly stderr?: (text: string) => void;
}

export type SdkCanUseTool = (
  tool: string,
  input: Readonly<Record<string, unknown>>,
  about: {
    readonly signal: AbortSignal;
    readonly toolUseID: string;
    /** The id of the sub-agent that asks for permission. Absent for the main agent. */
    readonly agentID?: string;
    readonly decisionReason?: string;
  },
) => Promise<SdkPermission>;

export type SdkPermission =
  | { readonly behavior: "allow"; readonly updatedInput: Record<string, unknown> }
  | { readonly behavior: "deny"; readonly message: string; readonly interrupt?: boolean };

/** The hooks that we use. The SDK has 33. */
export type SdkHookName =
  | "PreToolUse"
  | "PostToolUse"
  | "PostToolUseFailure"
  | "PostToolBatch"
  | "UserPromptSubmit"
  | "PreCompact"
  | "PostCompact"
  | "SubagentStart"
  | "SubagentStop";

export interface SdkHookInput {
  readonly hook_event_name: string;
  readonly session_id: string;
  /** The folder that commands currently run in. */
  readonly cwd?: string;
  /** The id of a sub-agent. Absent for the main agent. */
  readonly agent_id?: string;
  readonly tool_name?: string;
  readonly tool_input?: unknown;
  readonly tool_use_id?: string;
  /** The tool's result, in the tool's own format. */
  readonly tool_response?: unknown;
  /** Why the call failed. The model gets this text. */
  readonly error?: string;
  readonly tool_calls?: readonly { readonly tool_name: string; readonly tool_use_id: string }[];
  readonly trigger?: "manual" | "auto";
  readonly compact_summary?: string;
}

export interface SdkHookOutput {
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly hookSpecificOutput?:
    | {
        readonly hookEventName: "UserPromptSubmit" | "PostToolBatch" | "PostToolUseFailure";
        readonly additionalContext: string;
      }
    | {
        readonly hookEventName: "PostToolUse";
        /** The result that the model gets instead of the original one. */
        readonly updatedToolOutput: Json;
      }
    | {
        readonly hookEventName: "PreToolUse";
        readonly permissionDecision: "allow" | "deny" | "ask";
        readonly permissionDecisionReason?: string;
        /** The input that the call runs with instead of the requested input. */
        readonly updatedInput?: Record<string, unknown>;
      };
}

export type SdkHook = (
  input: SdkHookInput,
  toolUse: string | undefined,
  options: { readonly signal: AbortSignal },
) => Promise<SdkHookOutput>;

export type SdkHooks = Readonly<Partial<Record<SdkHookName, readonly SdkHookMatcher[]>>>;

export interface SdkHookMatcher {
  readonly hooks: readonly SdkHook[];
  /** The time limit in seconds. */
  readonly timeout?: number;
  /** Whether the action is blocked if the hook itself fails. */
  readonly onFailure?: "continue" | "block";
}

/** A prompt from us. We generate its id, and the SDK keeps that id. */
export interface SdkPrompt {
  readonly type: "user";
  readonly uuid: string;
  readonly message: { readonly role: "user"; readonly content: readonly SdkContent[] };
  readonly parent_tool_use_id: null;
  /** If false, the prompt is only added to the conversation, without an answer. */
  readonly shouldQuery?: boolean;
  /**
   * Set for text that the user did not type. Nothing in the text is treated as a command or as the name of a file to
   * read.
   */
  readonly client_composed?: true;
  /** "next" adds the prompt to the running turn, after the results of the current step. */
  readonly priority?: "now" | "next" | "later";
}

export type SdkContent =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image";
      readonly source: { readonly type: "base64"; readonly media_type: string; readonly data: string };
    };

/** The messages that we use. Many more kinds are ignored. */
export type SdkMessage =
  | SdkInit
  | SdkAssistant
  | SdkUser
  | SdkStreamEvent
  | SdkResult
  | SdkApiRetry
  | SdkCompactBoundary
  | SdkUnknown;

export interface SdkInit {
  readonly type: "system";
  readonly subtype: "init";
  readonly session_id: string;
  readonly model: string;
  readonly tools: readonly string[];
}

export interface SdkApiRetry {
  readonly type: "system";
  readonly subtype: "api_retry";
  readonly attempt: number;
  readonly max_retries: number;
  readonly retry_delay_ms: number;
  readonly error_status: number | null;
  readonly error: string;
}

export interface SdkCompactBoundary {
  readonly type: "system";
  readonly subtype: "compact_boundary";
  readonly uuid: string;
  readonly compact_metadata: {
    readonly trigger: "manual" | "auto";
    readonly pre_tokens: number;
    readonly post_tokens?: number;
    /** Messages that follow the summary unchanged. */
    readonly preserved_messages?: { readonly uuids: readonly string[] };
  };
}

/** One content block in a reply. All blocks in a reply have the same `message.id`. */
export interface SdkAssistant {
  readonly type: "assistant";
  readonly uuid: string;
  /** The call that started the sub-agent that the reply comes from. */
  readonly parent_tool_use_id: string | null;
  readonly message: {
    readonly id: string;
    readonly model: string;
    readonly content: readonly SdkBlock[];
    readonly usage?: SdkUsage;
    readonly stop_reason?: string | null;
  };
  /** Set if the reply was interrupted. The message then contains the part of the reply that had arrived. */
  readonly aborted?: boolean;
  /** Set if no model wrote the message. The SDK reports API failures to the user in this way. */
  readonly error?: string;
}

export type SdkBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature?: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: Json }
  | { readonly type: "redacted_thinking" | "server_tool_use" | "other" };

/** A replayed prompt (`isReplay`), the result of a tool, or text that the SDK itself adds to the conversation. */
export interface SdkUser {
  readonly type: "user";
  readonly uuid?: string;
  readonly parent_tool_use_id: string | null;
  readonly isReplay?: boolean;
  readonly isSynthetic?: boolean;
  readonly message: { readonly content: string | readonly SdkUserBlock[] };
}

export type SdkUserBlock =
  | SdkContent
  | {
      readonly type: "tool_result";
      readonly tool_use_id: string;
      readonly content?: string | readonly SdkContent[];
      readonly is_error?: boolean;
    };

/** An event from the provider's stream, passed on as it arrived. */
export interface SdkStreamEvent {
  readonly type: "stream_event";
  readonly parent_tool_use_id: string | null;
  readonly event: SdkRawEvent;
}

export type SdkRawEvent =
  | { readonly type: "message_start"; readonly message: { readonly id: string; readonly model: string } }
  | {
      readonly type: "content_block_start";
      readonly index: number;
      readonly content_block: { readonly type: string; readonly id?: string; readonly name?: string };
    }
  | {
      readonly type: "content_block_delta";
      readonly index: number;
      readonly delta: {
        readonly type: string;
        readonly text?: string;
        readonly thinking?: string;
        readonly partial_json?: string;
      };
    }
  | {
      readonly type: "message_delta";
      readonly usage?: SdkUsage;
      readonly delta?: { readonly stop_reason?: string | null };
    }
  | { readonly type: "message_stop" };

export interface SdkUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
}

/** The end of a turn. After an API failure, the turn ends as a "success" with `is_error` set. */
export interface SdkResult {
  readonly type: "result";
  readonly subtype: string;
  readonly is_error: boolean;
  readonly result?: string;
  readonly errors?: readonly string[];
  readonly api_error_status?: number | null;
  readonly terminal_reason?: string;
  /** The stop reason of the last reply: "end_turn", "refusal", ... */
  readonly stop_reason?: string | null;
  readonly usage?: SdkUsage;
  /** The prompts that the turn has processed. */
  readonly user_message_uuids?: readonly string[];
  readonly modelUsage?: Readonly<Record<string, { readonly contextWindow?: number }>>;
  /**
   * The usage of all models since the previous result, including the models of sub-agents. The field is missing from
   * the SDK's own types.
   */
  readonly model_usage_since_last_result?: Readonly<Record<string, SdkModelUsage>>;
}

export interface SdkModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  /** The cost in US dollars, as estimated by the SDK. */
  readonly costUSD: number;
}

export interface SdkUnknown {
  readonly type: "unknown";
}
