import { describe, expect, it } from "vitest";
import { type ApiFault, apiFailure } from "../../../../src/hosts/claude-agent-sdk/sdk/failures.ts";

// Recorded with Claude Agent SDK 0.3.325 against the scripted model server; the longest texts are shortened.

const KEY_HINT = "Set ANTHROPIC_API_KEY, or log in with `claude`, or run `worldline setup`.";
const NETWORK_HINT = "Check the network, HTTPS_PROXY and NO_PROXY, and ANTHROPIC_BASE_URL if it is set.";
const GATEWAY =
  "usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:35015).";

function toldOf(trouble: ApiFault): string {
  const { code, retry, message, hint } = apiFailure(trouble);
  return [`${code} ${retry}`, message, ...(hint === undefined ? [] : [hint])].join("\n");
}

describe("an API that failed", () => {
  it.each<[string, ApiFault, string]>([
    [
      "without a key",
      { kind: "authentication_failed", words: "Not logged in · Please run /login" },
      `MODEL_KEY never\nThere is no API key or login for Claude.\n${KEY_HINT}`,
    ],
    [
      "with a key that is not accepted",
      { status: 401, kind: "authentication_failed", words: "Invalid API key · Fix external API key" },
      `MODEL_KEY never\nClaude does not accept the key or the login (status 401).\n${KEY_HINT}`,
    ],
    [
      "with a server that quotes the key",
      {
        status: 401,
        kind: "authentication_failed",
        words:
          "Failed to authenticate. API Error: 401 Incorrect API key provided: scripted-key. Also sk-ant-api03-abcdefghijk",
      },
      `MODEL_KEY never\nClaude does not accept the key or the login (status 401).\n${KEY_HINT}`,
    ],
    [
      "with a login that has expired",
      {
        status: 401,
        kind: "authentication_failed",
        words:
          "Failed to authenticate. API Error: 401 OAuth token has expired. Please obtain a new token or refresh your existing token.",
      },
      `MODEL_KEY never\nThe login for Claude has expired (status 401).\n${KEY_HINT}`,
    ],
    [
      "with a key that may not do this",
      {
        status: 403,
        kind: "authentication_failed",
        words: "Failed to authenticate. API Error: 403 Your API key does not have permission",
      },
      `MODEL_KEY never\nClaude does not accept the key or the login (status 403): Your API key does not have permission.\n${KEY_HINT}`,
    ],
    [
      "with a key that is none",
      {
        kind: "invalid_request",
        words:
          "Invalid API key · Fix external API key · Invalid X-Api-Key header value from ANTHROPIC_API_KEY: it contains a typographic dash (U+2013) at character 11 (28 characters).",
      },
      `MODEL_KEY never\nThe key for Claude contains invalid characters.\n${KEY_HINT}`,
    ],
    [
      "with a model that is not known",
      {
        status: 404,
        kind: "model_not_found",
        words:
          "There's an issue with the selected model (claude-opus-5-5). It may not exist or you may not have access to it.",
      },
      "MODEL_UNKNOWN never\nThe model claude-opus-5-5 is unknown, or not available to this account (status 404).\nChoose another model with --model. If ANTHROPIC_BASE_URL is set, check that address too.",
    ],
    [
      "with a request that is refused",
      { status: 400, words: "API Error: 400 messages: text content blocks must be non-empty" },
      "MODEL_REFUSED never\nClaude refused the request (status 400): messages: text content blocks must be non-empty.",
    ],
    [
      "with an account out of money",
      { status: 400, kind: "billing_error", words: "Credit balance is too low" },
      "MODEL_REFUSED never\nClaude refused the request (status 400): Credit balance is too low.\nYour account with the provider is out of credit or quota.",
    ],
    [
      "with a prompt that is too long",
      {
        status: 400,
        kind: "invalid_request",
        reason: "prompt_too_long",
        words:
          "Prompt is too long · the request is ~210000 tokens (limit 200000) but this conversation is only ~2491 tokens",
      },
      "CONTEXT_TOO_LONG never\nThe context is too long for Claude: Prompt is too long · the request is ~210000 tokens (limit 200000) but this conversation is only ~2491 tokens.\nCompact it with `worldline compact`, or choose a model with a larger context window.",
    ],
    [
      "with a request that is too large",
      { status: 413, kind: "invalid_request", reason: "image_error", words: "Request too large (max 32MB)." },
      "CONTEXT_TOO_LONG never\nThe context is too long for Claude: Request too large (max 32MB).\nCompact it with `worldline compact`, or choose a model with a larger context window.",
    ],
    [
      "that counts requests",
      {
        status: 429,
        kind: "rate_limit",
        words: "API Error: Request rejected (429) · Number of requests has exceeded your rate limit",
      },
      "MODEL_BUSY soon\nClaude is busy: Number of requests has exceeded your rate limit.",
    ],
    [
      "with too much to do",
      {
        status: 529,
        kind: "server_error",
        words: `API Error: 529 Overloaded. This is a server-side issue, ${GATEWAY}`,
      },
      "MODEL_BUSY soon\nClaude is busy: Overloaded.",
    ],
    [
      "that is broken",
      {
        status: 500,
        kind: "server_error",
        words: `API Error: 500 Internal server error. This is a server-side issue, ${GATEWAY}`,
      },
      "MODEL_FAILED soon\nClaude failed with status 500: Internal server error.",
    ],
    [
      "where nobody listens",
      {
        kind: "server_error",
        words: "API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)",
      },
      `MODEL_UNREACHABLE never\nClaude cannot be reached: the connection was refused (ECONNREFUSED).\n${NETWORK_HINT}`,
    ],
    [
      "whose host is not known",
      {
        kind: "server_error",
        words: "API Error: Can't reach the API server — check your internet or DNS (ENOTFOUND)",
      },
      `MODEL_UNREACHABLE never\nClaude cannot be reached: there is no such host (ENOTFOUND).\n${NETWORK_HINT}`,
    ],
    [
      "whose address is none",
      { words: "API Error: Invalid URL" },
      `MODEL_UNREACHABLE never\nClaude cannot be reached: ANTHROPIC_BASE_URL is not a valid address.\n${NETWORK_HINT}`,
    ],
    [
      "whose certificate is not trusted",
      {
        kind: "server_error",
        words:
          "API Error: Unable to connect to API: Self-signed certificate detected (DEPTH_ZERO_SELF_SIGNED_CERT). The certificate comes from an authority Claude Code doesn't trust",
      },
      "MODEL_UNREACHABLE never\nClaude cannot be reached: its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT).\nIf a proxy or gateway uses its own certificate, set NODE_EXTRA_CA_CERTS to that certificate's file.",
    ],
    [
      "behind a proxy that refuses",
      {
        kind: "server_error",
        words:
          "API Error: Couldn't connect through your proxy (ERR_PROXY_TUNNEL) — the proxy refused the tunnel: check its credentials and that it allows this host",
      },
      "MODEL_UNREACHABLE never\nClaude cannot be reached: the proxy refused the connection (ERR_PROXY_TUNNEL).\nChange HTTPS_PROXY or HTTP_PROXY, or add the address to NO_PROXY.",
    ],
    [
      "behind a proxy that asks who it is",
      { status: 407, words: "API Error: 407 Proxy Authentication Required" },
      "MODEL_UNREACHABLE never\nThe proxy requires authentication (status 407).\nAdd a user name and password to the proxy variable, or add the address to NO_PROXY.",
    ],
    [
      "that hangs up at once",
      {
        kind: "server_error",
        words:
          "API Error: Connection dropped (ECONNRESET). Check the gateway set in ANTHROPIC_BASE_URL, then try again.",
      },
      `MODEL_UNREACHABLE soon\nClaude cannot be reached: the connection failed (ECONNRESET).\n${NETWORK_HINT}`,
    ],
    [
      "that is a login page",
      {
        words:
          "API Error: API returned an empty or malformed response (HTTP 200) — check for a proxy or gateway intercepting the request.",
      },
      "MODEL_UNREACHABLE never\nSomething other than Claude answered: the response is not a model's reply.\nCheck ANTHROPIC_BASE_URL if it is set. The response may also have come from a proxy or a network login page.",
    ],
    [
      "whose stream was cut",
      {
        kind: "server_error",
        words:
          "API Error: Connection to the API was lost (ECONNRESET). This is usually temporary — try again.",
      },
      "MODEL_FAILED soon\nThe stream from Claude ended before the reply was complete.",
    ],
    [
      "whose stream had no end",
      {
        kind: "server_error",
        words: "API Error: Connection lost mid-response. The response above may be incomplete.",
      },
      "MODEL_FAILED soon\nThe stream from Claude ended before the reply was complete.",
    ],
    [
      "that went silent",
      { kind: "server_error", words: "Request timed out" },
      "MODEL_FAILED soon\nThe stream from Claude was cut off: no data arrived in time.\nTry again. If replies need more time, raise API_TIMEOUT_MS.",
    ],
    [
      "that sends no events",
      { words: "API Error: JSON Parse error: Unrecognized token '<'" },
      "MODEL_FAILED soon\nClaude failed: JSON Parse error: Unrecognized token '<'.",
    ],
    [
      "whose replies are all too long",
      {
        kind: "max_output_tokens",
        words:
          "API Error: Claude's response exceeded the 128000 output token maximum. To configure this behavior, set the CLAUDE_CODE_MAX_OUTPUT_TOKENS environment variable.",
      },
      "MODEL_FAILED never\nClaude repeatedly hit its output limit (128000 tokens).\nAsk for less in one prompt, or raise CLAUDE_CODE_MAX_OUTPUT_TOKENS.",
    ],
    [
      "whose content filter says no",
      {
        kind: "invalid_request",
        stop: "refusal",
        words: "API Error: Opus 5.5's safeguards flagged this message",
      },
      "MODEL_REFUSED never\nClaude declined to answer: its content filter stopped the reply.\nRephrase the prompt, or go back with `worldline rewind`.",
    ],
  ])("%s is reported in our words", (_, trouble, told) => {
    expect(toldOf(trouble)).toBe(told);
  });

  it("never shows what looks like a key", () => {
    // This text is invented: none of the scripted servers quotes this much.
    const words =
      "API Error: 400 the key sk-ant-api03-abcdefghijk or Bearer abc.def.ghi is bad at https://me:pw@host/v1";
    expect(toldOf({ status: 400, words })).toBe(
      "MODEL_REFUSED never\nClaude refused the request (status 400): the key (key) or Bearer (key) is bad at https://host/v1.",
    );
  });
});
