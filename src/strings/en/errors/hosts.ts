import type { CommandText } from "../../commands.ts";
import { type ErrorCode, error } from "../../errors/texts.ts";

/** The way to install the Claude Agent SDK, which depends on how Worldline was installed. */
export type SdkInstall =
  | { readonly how: "folder"; readonly folder: string; readonly wanted: string }
  | { readonly how: "clone"; readonly wanted: string }
  | { readonly how: "global"; readonly wanted: string }
  | { readonly how: "project"; readonly project: string; readonly wanted: string };

/** The reason why Claude cannot be reached. */
export type ClaudeUnreachable =
  | { readonly why: "refused" | "no-host" | "no-way" | "no-network" | "failed"; readonly errno: string }
  | { readonly why: "no-address" };

/** Errors from other vendors' agents behind Worldline's agent interface. */
export const hosts = {
  "sdk-absent": error(
    "INPUT_INVALID",
    /** `folder`: the folder in the setting `claude.sdk`. */
    ({ folder }: { readonly folder?: string; readonly install: SdkInstall }) =>
      `The "claude" host needs the Claude Agent SDK, which is not installed${folder === undefined ? "" : ` in ${folder}, the folder set in claude.sdk`}.`,
    ({ folder, install }, { command }) =>
      `Install it: ${installCommand(install, command)}. It is proprietary software from Anthropic and takes up about 414 MB. ` +
      `${folder === undefined ? "If it is installed elsewhere, set its folder" : "Or set another folder"}: \`${command({ do: "config set", key: "claude.sdk", value: { any: "folder" } })}\`` +
      ". Worldline's own agent does not need it: --host native",
  ),
  "sdk-too-old": error(
    "INPUT_INVALID",
    ({
      version,
      folder,
      needed,
    }: {
      readonly version: string;
      readonly folder: string;
      readonly needed: string;
      readonly install: SdkInstall;
    }) => `Claude Agent SDK ${version} in ${folder} is too old: Worldline needs ${needed} or newer.`,
    ({ install }, { command }) => `Install a newer version: ${installCommand(install, command)}`,
  ),
  "sdk-without-program": error(
    "INPUT_INVALID",
    ({
      folder,
      machine,
    }: {
      readonly folder: string;
      readonly machine: string;
      readonly install: SdkInstall;
    }) => `The Claude Agent SDK in ${folder} has no program for this machine (${machine}).`,
    ({ install }, { command }) => `Reinstall it without --omit=optional: ${installCommand(install, command)}`,
  ),
  "sdk-unloadable": error(
    "INPUT_INVALID",
    ({ folder, why }: { readonly folder: string; readonly why: string; readonly install: SdkInstall }) =>
      `The Claude Agent SDK in ${folder} is installed but cannot be loaded: ${why}`,
    ({ install }, { command }) =>
      `Reinstall it with all its dependencies: ${installCommand(install, command)}`,
  ),
  "sdk-incomplete": error(
    "INPUT_INVALID",
    ({
      folder,
      missing,
    }: {
      readonly folder: string;
      readonly missing: readonly string[];
      readonly install: SdkInstall;
    }) =>
      `The Claude Agent SDK in ${folder} is installed but cannot be loaded: it is missing ${missing.join(", ")}`,
    ({ install }, { command }) =>
      `Reinstall it with all its dependencies: ${installCommand(install, command)}`,
  ),
  "claude-model-unknown": error(
    "MODEL_UNKNOWN",
    ({ model }: { readonly model: string; readonly offered: readonly string[] }) =>
      `There is no model ${model} in the Claude Agent SDK.`,
    ({ offered }) => `Available models: ${offered.join(", ")}`,
  ),
  "command-leaves": error(
    "INPUT_INVALID",
    ({ command }: { readonly command: string }) =>
      `/${command} is a Claude Code command that leaves this conversation.`,
    (_, { command }) =>
      `Worldline manages the conversation. Start another conversation with \`${command({ do: "start", host: "claude" })}\`, or go back with \`${command({ do: "rewind" })}\`.`,
  ),

  "sdk-checkpoints-off": rewindError(
    "REWIND_REFUSED",
    "Checkpoint feature not enabled: the Claude Agent SDK does not keep file checkpoints here.",
    "Remove CLAUDE_CODE_DISABLE_FILE_CHECKPOINTING from the environment, and fileCheckpointingEnabled from Claude Code's settings.",
  ),
  "sdk-checkpoint-missing": rewindError(
    "SNAPSHOT_MISSING",
    "The Claude Agent SDK has no file checkpoint for this prompt.",
    "The SDK keeps the 100 newest file checkpoints in a session. It has none for prompts that were sent during a turn " +
      "or before a compaction, or while file checkpoints were off.",
  ),
  "sdk-backup-missing": rewindError(
    "SNAPSHOT_MISSING",
    "The Claude Agent SDK could not restore any files: its backup data is missing, or the files cannot be written.",
    "Check that its file-history folder still exists and that the files are writable.",
  ),
  "sdk-session-missing": rewindError(
    "SNAPSHOT_MISSING",
    "The Claude Agent SDK no longer has the session that this prompt belongs to.",
    "The SDK removes sessions after cleanupPeriodDays (30 by default). It does not have sessions from other machines or configuration folders.",
  ),
  "sdk-checkpoints-elsewhere": rewindError(
    "REWIND_REFUSED",
    "The Claude Agent SDK does not keep file checkpoints when its sessions are in a session store.",
    "File checkpoints require the SDK's own session files.",
  ),
  "sdk-rewind-failed": error(
    "REWIND_REFUSED",
    ({ said }: { readonly said: string }) => `The Claude Agent SDK did not restore the files: ${said}`,
    () => "The SDK's process ended or did not start. Check that `claude --version` works, then try again.",
  ),
  "sdk-rewind-slow": error(
    "REWIND_REFUSED",
    ({ seconds }: { readonly seconds: number }) =>
      `The Claude Agent SDK did not restore the files within ${seconds} seconds and was stopped.`,
    () => "Try again. If the machine is very busy, wait a little first.",
  ),

  "claude-empty-reply": error("MODEL_FAILED", () => "Claude sent an empty reply: no text and no tool call."),
  "claude-declined": error(
    "MODEL_REFUSED",
    () => "Claude declined to answer: its content filter stopped the reply.",
    (_, { command }) => `Rephrase the prompt, or go back with \`${command({ do: "rewind" })}\`.`,
  ),
  "claude-context-too-long": error(
    "CONTEXT_TOO_LONG",
    ({ said }: Said) => `The context is too long for Claude: ${said}`,
    (_, { command }) =>
      `Compact it with \`${command({ do: "compact" })}\`, or choose a model with a larger context window.`,
  ),
  "claude-reply-limit": error(
    "MODEL_FAILED",
    ({ tokens }: { readonly tokens?: string }) =>
      `Claude repeatedly hit its output limit${tokens === undefined ? "" : ` (${tokens} tokens)`}.`,
    () => "Ask for less in one prompt, or raise CLAUDE_CODE_MAX_OUTPUT_TOKENS.",
  ),
  "claude-out-of-money": error(
    "MODEL_REFUSED",
    ({ status, said }: Said & WithStatus) => `Claude refused the request${inBrackets(status)}: ${said}`,
    () => "Your account with the provider is out of credit or quota.",
  ),
  "claude-no-key": error(
    "MODEL_KEY",
    () => "There is no API key or login for Claude.",
    (_, { command }) => keyHint(command({ do: "setup" })),
  ),
  "claude-key-unsendable": error(
    "MODEL_KEY",
    () => "The key for Claude contains invalid characters.",
    (_, { command }) => keyHint(command({ do: "setup" })),
  ),
  "claude-login-expired": error(
    "MODEL_KEY",
    ({ status }: WithStatus) => `The login for Claude has expired${inBrackets(status)}.`,
    (_, { command }) => keyHint(command({ do: "setup" })),
  ),
  "claude-key-refused": error(
    "MODEL_KEY",
    /** `said`: absent if the response may quote the key. */
    ({ status, said }: Partial<Said> & WithStatus) =>
      `Claude does not accept the key or the login${inBrackets(status)}${said === undefined ? "." : `: ${said}`}`,
    (_, { command }) => keyHint(command({ do: "setup" })),
  ),
  "claude-busy": error("MODEL_BUSY", ({ said }: Said) => `Claude is busy: ${said}`),
  "claude-busy-with": error(
    "MODEL_BUSY",
    ({ status }: { readonly status: number }) => `Claude is busy (status ${status}).`,
  ),
  "claude-proxy-wants-password": error(
    "MODEL_UNREACHABLE",
    () => "The proxy requires authentication (status 407).",
    () => "Add a user name and password to the proxy variable, or add the address to NO_PROXY.",
  ),
  "claude-model-refused": error(
    "MODEL_UNKNOWN",
    ({ model, status }: WithStatus & { readonly model?: string }) =>
      `${model === undefined ? "The model" : `The model ${model}`} is unknown, or not available to this account${inBrackets(status)}.`,
    () => "Choose another model with --model. If ANTHROPIC_BASE_URL is set, check that address too.",
  ),
  "claude-failed": error("MODEL_FAILED", ({ said }: Said) =>
    said === "" ? "Claude failed." : `Claude failed: ${said}`,
  ),
  "claude-failed-with": error(
    "MODEL_FAILED",
    ({ status, said }: Partial<Said> & { readonly status: number }) =>
      `Claude failed with status ${status}${said === undefined ? "." : `: ${said}`}`,
  ),
  "claude-refused": error(
    "MODEL_REFUSED",
    ({ status, said }: Said & { readonly status: number }) =>
      `Claude refused the request (status ${status}): ${said}`,
  ),
  "claude-stream-cut": error(
    "MODEL_FAILED",
    () => "The stream from Claude ended before the reply was complete.",
  ),
  "claude-stream-slow": error(
    "MODEL_FAILED",
    () => "The stream from Claude was cut off: no data arrived in time.",
    () => "Try again. If replies need more time, raise API_TIMEOUT_MS.",
  ),
  "claude-connection-cut": error("MODEL_UNREACHABLE", () => "The connection to Claude failed or was lost."),
  "claude-unreachable": error(
    "MODEL_UNREACHABLE",
    ({ because }: { readonly because: ClaudeUnreachable }) =>
      `Claude cannot be reached: ${unreachable(because)}.`,
    () => "Check the network, HTTPS_PROXY and NO_PROXY, and ANTHROPIC_BASE_URL if it is set.",
  ),
  "claude-proxy-refuses": error(
    "MODEL_UNREACHABLE",
    ({ errno }: { readonly errno: string }) =>
      `Claude cannot be reached: the proxy refused the connection (${errno}).`,
    () => "Change HTTPS_PROXY or HTTP_PROXY, or add the address to NO_PROXY.",
  ),
  "claude-certificate-untrusted": error(
    "MODEL_UNREACHABLE",
    ({ errno }: { readonly errno: string }) =>
      `Claude cannot be reached: its certificate is not trusted (${errno}).`,
    () =>
      "If a proxy or gateway uses its own certificate, set NODE_EXTRA_CA_CERTS to that certificate's file.",
  ),
  "claude-no-server": error(
    "MODEL_UNREACHABLE",
    () => "Something other than Claude answered: the response is not a model's reply.",
    () =>
      "Check ANTHROPIC_BASE_URL if it is set. The response may also have come from a proxy or a network login page.",
  ),

  "sdk-session-gone": error(
    "SESSION_UNKNOWN",
    ({ id }: WithId) => `The Claude Agent SDK session${spaced(id)} no longer exists.`,
    () => "Send the prompt again to start a new SDK session, which receives the conversation.",
  ),
  "sdk-message-gone": error(
    "ENTRY_UNKNOWN",
    ({ id }: WithId) => `The message${spaced(id)} is no longer in the Claude Agent SDK session.`,
    () => "Send the prompt again to start a new SDK session, which receives the conversation.",
  ),
  "sdk-session-in-use": error(
    "SESSION_EXISTS",
    ({ id }: WithId) => `The Claude Agent SDK session${spaced(id)} is already in use.`,
    () => "Send the prompt again to start a new session.",
  ),
  "sdk-not-as-root": error(
    "SETTINGS_INVALID",
    () => "Claude Code does not run as root when its settings skip permission prompts.",
    () => "Remove bypassPermissions from Claude Code's settings, or run as another user.",
  ),
  "sdk-settings-invalid": error(
    "SETTINGS_INVALID",
    ({ id }: WithId) => `Claude Code cannot read its settings in${spaced(id)}, because they are not JSON.`,
    () => "Repair that file, or replace it with a backup from the backups folder next to it.",
  ),
  "sdk-program-gone": error(
    "INPUT_INVALID",
    () => "The Claude Agent SDK's program was moved or removed.",
    () => "Reinstall the SDK without --omit=optional.",
  ),
  "sdk-program-unstartable": error(
    "INPUT_INVALID",
    () => "The Claude Agent SDK's program cannot be started.",
    () => "Check that the workspace folder still exists. If it does, reinstall the SDK for this machine.",
  ),
  "sdk-disk-full": error(
    "STORE_FULL",
    () => "The disk is full: Claude Code could not save its session.",
    () => "Free some disk space where CLAUDE_CONFIG_DIR points, or in your home folder.",
  ),
  "sdk-closed": error(
    "CANCELLED",
    () => "The Claude Agent SDK's process was closed.",
    () => "Send the prompt again to start a new process.",
  ),
  "sdk-turn-unasked": error(
    "MODEL_FAILED",
    () => "The Claude Agent SDK started a turn that was not requested, so the turn was stopped.",
    () => WHOLE,
  ),
  "sdk-killed": error(
    "MODEL_FAILED",
    ({ signal }: { readonly signal: string }) => `Claude Code was killed by ${signal}.`,
    ({ signal }) => `${WHOLE}${signal === "SIGKILL" ? " The machine may have run out of memory." : ""}`,
  ),
  "sdk-failed": error(
    "MODEL_FAILED",
    /** `printed`: the end of the process's output to stderr. */
    ({ said, printed }: Said & { readonly printed: string }) =>
      `The Claude Agent SDK failed: ${said}${printed && ` ${printed}`}`,
    () => WHOLE,
  ),
  "sdk-exited": error(
    "MODEL_FAILED",
    ({ exit, printed }: { readonly exit: string; readonly printed: string }) =>
      `Claude Code exited with code ${exit}${printed === "" ? "." : `: ${printed}`}`,
    () => WHOLE,
  ),
  "sdk-ended-turn": error(
    "MODEL_FAILED",
    ({ said }: Said) => `The Claude Agent SDK ended the turn${said === "" ? "." : `: ${said}`}`,
  ),
};

/** Another program's message about the error, as one sentence. */
export interface Said {
  readonly said: string;
}

export interface WithStatus {
  readonly status?: number;
}

export interface WithId {
  readonly id?: string;
}

function rewindError(code: ErrorCode, message: string, hint: string) {
  return error(
    code,
    (_: Readonly<Record<never, never>>) => message,
    () => `No file was changed. ${hint}`,
  );
}

const WHOLE = "Send the prompt again. Everything before it is in the session's log.";

function keyHint(setup: string): string {
  return `Set ANTHROPIC_API_KEY, or log in with \`claude\`, or run \`${setup}\`.`;
}

function inBrackets(status: number | undefined): string {
  return status === undefined ? "" : ` (status ${status})`;
}

function spaced(text: string | undefined): string {
  return text === undefined ? "" : ` ${text}`;
}

function installCommand(install: SdkInstall, command: CommandText): string {
  const { wanted } = install;
  switch (install.how) {
    case "folder":
      return `\`npm install --prefix ${install.folder} ${wanted}\``;
    case "clone":
      return `\`npm install --prefix ~/claude-sdk ${wanted}\`, then set its folder: \`${command({ do: "config set", key: "claude.sdk", value: "~/claude-sdk" })}\``;
    case "global":
      return `\`npm install -g ${wanted}\``;
    case "project":
      return `\`npm install ${wanted}\` (in ${install.project})`;
    default:
      return install satisfies never;
  }
}

function unreachable(because: ClaudeUnreachable): string {
  switch (because.why) {
    case "refused":
      return `the connection was refused (${because.errno})`;
    case "no-host":
      return `there is no such host (${because.errno})`;
    case "no-way":
      return `there is no route to that host (${because.errno})`;
    case "no-network":
      return `there is no network connection (${because.errno})`;
    case "failed":
      return `the connection failed (${because.errno})`;
    case "no-address":
      return "ANTHROPIC_BASE_URL is not a valid address";
    default:
      return because satisfies never;
  }
}
