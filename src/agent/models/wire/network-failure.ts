import type { ModelFailure } from "../../../ports/model.ts";
import type { ErrorParams } from "../../../record/error.ts";
import { modelFailure } from "./model-failure.ts";
import type { Link } from "./what-was-said.ts";

/** Where the network failed. "streaming": after an answer had begun. */
export interface NetworkScene {
  readonly model: string;
  readonly baseUrl: string;
  readonly proxy?: NonNullable<ErrorParams<"model-unreachable">["proxy"]>;
  readonly connectMs: number;
  readonly silenceMs: number;
  readonly firstByteMs: number;
  readonly phase: "connecting" | "streaming";
}

type Because = Extract<ErrorParams<"model-unreachable">["because"], { readonly errno: string }>["why"];

const NOBODY_THERE: Readonly<Record<string, Because>> = {
  ECONNREFUSED: "refused",
  ENOTFOUND: "no-host",
  EHOSTUNREACH: "no-way",
  ENETUNREACH: "no-network",
  ERR_INVALID_URL: "no-address",
  HTTP_INVALID_REQUEST: "unusable-address",
  HTTP_PROXY_INVALID: "proxy-not-http",
};
const PASSING: Readonly<Record<string, Because>> = {
  EAI_AGAIN: "name-lookup",
  ECONNABORTED: "ended",
  ECONNRESET: "reset",
  EPIPE: "ended",
  ETIMEDOUT: "silent",
  HTTP_NO_ANSWER: "ended",
};
/** What no model's server sends: not HTTP, not decodable, or without an end. */
const HOSTILE =
  /^(HPE_|Z_|ERR_BROTLI|ERR__ERROR_FORMAT|BR_|HTTP_(BODY_TOO_LARGE|ENCODING|INVALID_STATUS|LINE_TOO_LONG|REPLY_TOO_LARGE)$)/;
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|^ERR_TLS|^ERR_SSL|^EPROTO$/;

/** Undefined where none of the errors is one of the network. */
export function errnoFailure(chain: readonly Link[], scene: NetworkScene): ModelFailure | undefined {
  const refusal = chain.find(({ code }) => code === "HTTP_PROXY_REFUSED");
  if (refusal !== undefined) return proxyRefused(refusal.proxyStatus, scene);
  const codes = chain.flatMap(({ code }) => (code === undefined ? [] : [code]));
  if (codes.includes("HTTP_FIRST_BYTE_TIMEOUT")) return silent(scene.model, scene.firstByteMs);
  if (codes.includes("HTTP_SILENT")) return silent(scene.model, scene.silenceMs);
  const hostile = chain.find(({ code = "" }) => HOSTILE.test(code));
  if (hostile !== undefined) return unusable(scene, hostile);
  const isUnanswered = chain.some(isConnectTimeout);
  if (scene.phase === "streaming") return modelFailure("reply-cut", { model: scene.model }, "soon");
  const nobody = firstOf(codes, NOBODY_THERE);
  if (nobody !== undefined) return unreachable(scene, nobody, "never");
  if (isUnanswered)
    return unreachable(scene, { why: "no-answer", seconds: secondsOf(scene.connectMs) }, "never");
  const passing = firstOf(codes, PASSING);
  if (passing !== undefined) return unreachable(scene, passing, "soon");
  const certificate = codes.find((code) => CERTIFICATE.test(code));
  if (certificate === undefined) return undefined;
  return modelFailure("certificate-untrusted", { ...reached(scene), code: certificate }, "never");
}

function firstOf(
  codes: readonly string[],
  table: Readonly<Record<string, Because>>,
): { readonly why: Because; readonly errno: string } | undefined {
  for (const errno of codes) {
    const why = table[errno];
    if (why !== undefined) return { why, errno };
  }
  return undefined;
}

/** Nobody who listens takes that long, and a person waits for each further try. */
function isConnectTimeout({ code, message }: Link): boolean {
  // A connection that had stood before can time out in the same words, except for the first.
  return code === "HTTP_CONNECT_TIMEOUT" || (code === "ETIMEDOUT" && !/^(read|write) /.test(message));
}

/** Where it was tried, as errors have it. */
export function reached({
  model,
  baseUrl,
  proxy,
}: Pick<NetworkScene, "model" | "baseUrl" | "proxy">): Pick<NetworkScene, "model" | "baseUrl" | "proxy"> {
  return { model, baseUrl, ...(proxy === undefined ? {} : { proxy }) };
}

function unreachable(
  scene: NetworkScene,
  because: ErrorParams<"model-unreachable">["because"],
  retry: ModelFailure["retry"],
): ModelFailure {
  return modelFailure("model-unreachable", { ...reached(scene), because }, retry);
}

function proxyRefused(status: number | undefined, scene: NetworkScene): ModelFailure {
  return modelFailure(
    "proxy-refuses",
    { ...reached(scene), ...(status === undefined ? {} : { status }) },
    "never",
  );
}

/** The same request would get the same answer. */
function unusable({ model, baseUrl }: NetworkScene, { code = "", message }: Link): ModelFailure {
  const said = message.replace(/\.?$/u, ".");
  return modelFailure("reply-unusable", { model, baseUrl, code, said }, "never");
}

function silent(model: string, milliseconds: number): ModelFailure {
  return modelFailure("reply-silent", { model, seconds: secondsOf(milliseconds) }, "soon");
}

function secondsOf(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}
