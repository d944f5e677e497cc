import { modelFailure } from "../../../../agent/models/wire/model-failure.ts";
import type { ModelFailure } from "../../../../ports/model.ts";
import type { ErrorParams } from "../../../../record/error.ts";

/** The system's name for it, which the SDK adds in brackets. */
const ERRNO = /\(((?:E[A-Z]{3,}(?:_[A-Z]+)*)|ERR_[A-Z_]+|[A-Z_]*CERT[A-Z_]*|UNABLE_TO_[A-Z_]+)\)/u;
type Because = ErrorParams<"claude-unreachable">["because"];

const NEVER: Readonly<Record<string, Extract<Because, { readonly errno: string }>["why"]>> = {
  ECONNREFUSED: "refused",
  ENOTFOUND: "no-host",
  EHOSTUNREACH: "no-way",
  ENETUNREACH: "no-network",
};
const CERTIFICATE = /CERT|UNABLE_TO_|^ERR_TLS|^ERR_SSL|^EPROTO$/u;
const NO_SERVER = /empty or malformed response/iu;
const CUT = /connection (?:to the API was )?lost/iu;
const TIMED_OUT = /timed out|ETIMEDOUT/iu;

/** Undefined where it was not the network, as far as the SDK's words tell. */
export function networkFailure(words: string): ModelFailure | undefined {
  const errno = ERRNO.exec(words)?.[1];
  if (CUT.test(words)) return modelFailure("claude-stream-cut", {}, "soon");
  if (TIMED_OUT.test(words)) return modelFailure("claude-stream-slow", {}, "soon");
  if (/API Error: Invalid URL$/u.test(words)) return unreachable({ why: "no-address" }, "never");
  if (NO_SERVER.test(words)) return modelFailure("claude-no-server", {}, "never");
  return errno === undefined ? undefined : ofErrno(errno);
}

function ofErrno(errno: string): ModelFailure {
  if (errno.startsWith("ERR_PROXY")) return modelFailure("claude-proxy-refuses", { errno }, "never");
  if (CERTIFICATE.test(errno)) return modelFailure("claude-certificate-untrusted", { errno }, "never");
  const why = NEVER[errno];
  return why === undefined
    ? unreachable({ why: "failed", errno }, "soon")
    : unreachable({ why, errno }, "never");
}

function unreachable(because: Because, retry: ModelFailure["retry"]): ModelFailure {
  return modelFailure("claude-unreachable", { because }, retry);
}
