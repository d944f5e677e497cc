import { describe, expect, it } from "vitest";
import { UnusableResponse } from "../../../../src/agent/http-body.ts";
import { type FailureContext, failureOf } from "../../../../src/agent/models/wire/failure.ts";
import { remark } from "../../../../src/record/error.ts";
import { errorOnScreen } from "../../../../src/strings/wording.ts";
import { zhCn } from "../../../../src/strings/zh-cn.ts";

const scene: FailureContext = {
  model: "anthropic/claude",
  baseUrl: "https://api.provider.test/v1",
  proxy: { address: "http://proxy.test:3128", variable: "HTTPS_PROXY" },
  keyFrom: { from: "environment", variable: "ANTHROPIC_API_KEY" },
  secrets: ["sk-secret"],
  connectMs: 5_000,
  silenceMs: 120_000,
  firstByteMs: 600_000,
  now: Date.parse("2026-11-15T10:00:00Z"),
  cancelled: "no",
};

function answer(statusCode: number, error: unknown = { message: "It said so." }, headers = {}): Error {
  const responseBody = JSON.stringify({ error });
  return Object.assign(new Error("as the package says it"), {
    statusCode,
    responseBody,
    responseHeaders: headers,
  });
}

function network(code: string, message = "broken"): Error {
  const cause = Object.assign(new Error(message), { code });
  return new Error("Cannot connect to API", { cause: new TypeError("fetch failed", { cause }) });
}

function kind(error: unknown): string {
  const { code, retry } = failureOf(error, scene);
  return `${code} ${retry}`;
}

describe("a failure of a provider", () => {
  it.each([
    [401, "It said so.", "MODEL_KEY never"],
    [403, "It said so.", "MODEL_KEY never"],
    [404, "It said so.", "MODEL_UNKNOWN never"],
    [400, "Model Not Exist", "MODEL_UNKNOWN never"],
    [400, "glaude-3 is not a valid model ID", "MODEL_UNKNOWN never"],
    [400, "prompt is too long: 210000 tokens > 200000 maximum", "CONTEXT_TOO_LONG never"],
    [
      400,
      "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000",
      "CONTEXT_TOO_LONG never",
    ],
    [400, "This model's maximum context length is 128000 tokens.", "CONTEXT_TOO_LONG never"],
    [500, "the request exceeds the available context size", "CONTEXT_TOO_LONG never"],
    [400, "Your request exceeded model token limit: 262144", "CONTEXT_TOO_LONG never"],
    [400, "Your input exceeds the context window of this model", "CONTEXT_TOO_LONG never"],
    [400, "The model is loaded with context length of only 4096 tokens", "CONTEXT_TOO_LONG never"],
    [413, "It said so.", "CONTEXT_TOO_LONG never"],
    [400, "messages.1: must not be empty", "MODEL_REFUSED never"],
    [402, "Insufficient Balance", "MODEL_REFUSED never"],
    [422, "It said so.", "MODEL_REFUSED never"],
    [429, "You exceeded your current quota, please check your plan", "MODEL_REFUSED never"],
    [408, "It said so.", "MODEL_BUSY soon"],
    [409, "It said so.", "MODEL_BUSY soon"],
    [429, "It said so.", "MODEL_BUSY soon"],
    [529, "It said so.", "MODEL_BUSY soon"],
    [500, "It said so.", "MODEL_FAILED soon"],
    [503, "It said so.", "MODEL_FAILED soon"],
    [407, "It said so.", "MODEL_UNREACHABLE never"],
  ])("with status %i and %j is %s", (status, message, expected) => {
    expect(kind(answer(status, { message }))).toBe(expected);
  });

  it("with a code alone is known by it", () => {
    expect(kind(answer(400, { message: "Too much.", code: "context_length_exceeded" }))).toBe(
      "CONTEXT_TOO_LONG never",
    );
    expect(kind(answer(400, { message: "Hm.", code: "model_not_found" }))).toBe("MODEL_UNKNOWN never");
  });

  it.each([
    ["ECONNREFUSED", "MODEL_UNREACHABLE never"],
    ["ENOTFOUND", "MODEL_UNREACHABLE never"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "MODEL_UNREACHABLE never"],
    ["ETIMEDOUT", "MODEL_UNREACHABLE never"],
    ["HTTP_CONNECT_TIMEOUT", "MODEL_UNREACHABLE never"],
    ["ECONNRESET", "MODEL_UNREACHABLE soon"],
    ["HTTP_NO_ANSWER", "MODEL_UNREACHABLE soon"],
    ["HTTP_SILENT", "MODEL_FAILED soon"],
    ["HTTP_FIRST_BYTE_TIMEOUT", "MODEL_FAILED soon"],
  ])("of the network, %s, is %s", (code, expected) => {
    expect(kind(network(code))).toBe(expected);
  });

  it("to connect in time says how long it was tried, and where", () => {
    expect(failureOf(network("HTTP_CONNECT_TIMEOUT"), scene).message).toBe(
      "anthropic/claude cannot be reached: it did not answer within 5 s. Worldline tried https://api.provider.test/v1 through the proxy http://proxy.test:3128 (HTTPS_PROXY).",
    );
  });

  it("of a connection that had stood before passes", () => {
    expect(kind(network("ETIMEDOUT", "read ETIMEDOUT"))).toBe("MODEL_UNREACHABLE soon");
  });

  it("of the network says which address was tried, and how", () => {
    expect(failureOf(network("ENOTFOUND"), scene).message).toBe(
      "anthropic/claude cannot be reached: there is no such host (ENOTFOUND). Worldline tried https://api.provider.test/v1 through the proxy http://proxy.test:3128 (HTTPS_PROXY).",
    );
  });

  it("that is the proxy's says so", () => {
    const cause = Object.assign(new Error("It refused."), { code: "HTTP_PROXY_REFUSED", proxyStatus: 403 });
    const error = new Error("Cannot connect to API", { cause });
    expect(failureOf(error, scene)).toMatchObject({
      code: "MODEL_UNREACHABLE",
      retry: "never",
      message: expect.stringContaining("the proxy refused the connection (status 403)"),
    });
  });

  it("after an answer had begun is a cut stream", () => {
    const cause = Object.assign(new Error("reset"), { code: "ECONNRESET" });
    expect(kind(Object.assign(new Error("broke off", { cause }), { statusCode: 200 }))).toBe(
      "MODEL_FAILED soon",
    );
  });

  it.each([
    [{ type: "overloaded_error", message: "Overloaded" }, "MODEL_BUSY soon"],
    [{ type: "rate_limit_error", message: "Slow down" }, "MODEL_BUSY soon"],
    [{ type: "api_error", message: "Internal" }, "MODEL_FAILED soon"],
    [{ code: "context_length_exceeded", message: "Your input exceeds it" }, "CONTEXT_TOO_LONG never"],
    [{ code: 429, message: "Rate limited upstream" }, "MODEL_BUSY soon"],
    [{ code: 502, message: "Upstream broke" }, "MODEL_FAILED soon"],
    ["a word", "MODEL_FAILED soon"],
    [undefined, "MODEL_FAILED soon"],
  ])("in the middle of a stream, %j, is %s", (event, expected) => {
    expect(kind(event)).toBe(expected);
  });

  it.each([
    [{ "retry-after-ms": "1500", "retry-after": "9" }, 1500],
    [{ "Retry-After": "2.5" }, 2500],
    [{ "retry-after": "Sun, 15 Nov 2026 10:00:30 GMT" }, 30_000],
    [{ "retry-after": "Sun, 15 Nov 2026 09:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
  ])("with %j wants to be left alone for %s ms", (headers, expected) => {
    expect(failureOf(answer(429, { message: "Slow." }, headers), scene).retryAfterMs).toBe(expected);
  });

  it("never shows the key, whatever quotes it", () => {
    const failure = failureOf(answer(401, { message: "Wrong key: sk-secret" }), scene);
    expect(failure).toMatchObject({
      message:
        "https://api.provider.test/v1 does not accept the key for anthropic/claude (status 401): Wrong key: (key).",
      hint: "Change ANTHROPIC_API_KEY, or unset it and run `worldline setup`.",
    });
  });

  it("leaves its own words alone where a key is a word, or a letter", () => {
    const failure = failureOf(answer(404, { message: "No." }), { ...scene, secrets: ["k", "know", ""] });
    expect(failure.message).toMatch(/^\S+ has no model anthropic\/claude/u);
  });

  it("is in the user's language where it is Worldline that could not use the response", () => {
    const fault = remark("http-encoding-unknown", { encoding: "sk-secret" });
    const unusable = failureOf(new UnusableResponse("HTTP_ENCODING", fault), scene);
    expect(unusable.message).toBe(
      "The response from anthropic/claude cannot be used (HTTP_ENCODING): Its content encoding, (key), is not supported.",
    );
    expect(errorOnScreen(zhCn, { ...unusable, code: undefined }).message).toBe(
      "anthropic/claude 的回答无法使用（HTTP_ENCODING）：它使用的编码是 (key)。",
    );
    const silent = failureOf(Object.assign(new Error(""), { statusCode: 402 }), scene);
    expect(silent.message).toBe("anthropic/claude refused the request (status 402): it did not say why.");
    expect(errorOnScreen(zhCn, { ...silent, code: undefined }).message).toContain("它没有说明原因。");
  });

  it("quotes of a page of HTML only its title", () => {
    const page = Object.assign(new Error("x"), {
      statusCode: 502,
      responseBody: "<html><title>Bad Gateway</title>…",
    });
    expect(failureOf(page, scene).message).toBe("anthropic/claude failed with status 502: Bad Gateway.");
  });

  it("does not count if the call was cancelled", () => {
    expect(failureOf(answer(500), { ...scene, cancelled: "yes" })).toMatchObject({
      code: "CANCELLED",
      retry: "never",
    });
  });
});
