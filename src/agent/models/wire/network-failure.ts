import type { ModelFailure } from "../../../ports/model.ts";
import type { Link } from "./what-was-said.ts";

/** Where the network failed. "streaming": after an answer had begun. */
export interface NetworkScene {
  readonly model: string;
  readonly baseUrl: string;
  readonly route: string;
  readonly connectMs: number;
  readonly silenceMs: number;
  readonly firstByteMs: number;
  readonly phase: "connecting" | "streaming";
}

const NOBODY_THERE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there",
  ENOTFOUND: "there is no such host",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no network",
  ERR_INVALID_URL: "that is not an address",
  HTTP_INVALID_REQUEST: "that is not an address that can be used",
  HTTP_PROXY_INVALID: "its proxy is not one for HTTP",
};
const PASSING: Readonly<Record<string, string>> = {
  EAI_AGAIN: "the name could not be looked up now",
  ECONNABORTED: "the connection was ended",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was ended",
  ETIMEDOUT: "the connection went silent",
  HTTP_NO_ANSWER: "the connection was ended",
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
  const passing = codes.find((code) => PASSING[code] !== undefined);
  const nobody = codes.find((code) => NOBODY_THERE[code] !== undefined);
  if (scene.phase === "streaming") return cut(scene);
  if (nobody !== undefined) return unreachable(scene, `${NOBODY_THERE[nobody]} (${nobody})`, "never");
  if (isUnanswered) return unreachable(scene, noAnswer(scene), "never");
  if (passing !== undefined) return unreachable(scene, `${PASSING[passing]} (${passing})`, "soon");
  const certificate = codes.find((code) => CERTIFICATE.test(code));
  if (certificate === undefined) return undefined;
  const hint = "If a proxy or a gateway signs with an own certificate, name it in NODE_EXTRA_CA_CERTS.";
  return { ...unreachable(scene, `its certificate is not trusted (${certificate})`, "never"), hint };
}

/** Nobody who listens takes that long, and a person waits for each further try. */
function isConnectTimeout({ code, message }: Link): boolean {
  // A connection that had stood before can time out in the same words, except for the first.
  return code === "HTTP_CONNECT_TIMEOUT" || (code === "ETIMEDOUT" && !/^(read|write) /.test(message));
}

function noAnswer({ connectMs }: NetworkScene): string {
  return `it did not answer within ${Math.round(connectMs / 100) / 10} s`;
}

function unreachable(scene: NetworkScene, why: string, retry: ModelFailure["retry"]): ModelFailure {
  return {
    code: "MODEL_UNREACHABLE",
    message: `${scene.model} cannot be reached: ${why}. ${scene.baseUrl} was tried ${scene.route}.`,
    hint: "Check the address (`worldline models` shows it), the network, and HTTPS_PROXY and NO_PROXY.",
    retry,
  };
}

function proxyRefused(status: number | undefined, scene: NetworkScene): ModelFailure {
  const why = `the proxy refuses${status === undefined ? "" : ` (status ${status})`}`;
  const hint = "Change HTTPS_PROXY or HTTP_PROXY, or put the address into NO_PROXY.";
  return { ...unreachable(scene, why, "never"), hint };
}

/** The same request would get the same answer. */
function unusable({ model, baseUrl }: NetworkScene, { code = "", message }: Link): ModelFailure {
  return {
    code: "MODEL_FAILED",
    message: `The answer of ${model} cannot be used (${code}): ${message.replace(/\.?$/u, ".")}`,
    hint: `Check that ${baseUrl} is the address of a model's server.`,
    retry: "never",
  };
}

function silent(model: string, milliseconds: number): ModelFailure {
  const seconds = Math.round(milliseconds / 100) / 10;
  const message = `The stream of ${model} was cut: nothing came for ${seconds} s.`;
  return { code: "MODEL_FAILED", message, retry: "soon" };
}

function cut(scene: NetworkScene): ModelFailure {
  const message = `The stream of ${scene.model} was cut before the reply was whole.`;
  return { code: "MODEL_FAILED", message, retry: "soon" };
}
