import type { ModelFailure } from "../../../../ports/model.ts";

/** The system's name for it, which the SDK adds in brackets. */
const ERRNO = /\(((?:E[A-Z]{3,}(?:_[A-Z]+)*)|ERR_[A-Z_]+|[A-Z_]*CERT[A-Z_]*|UNABLE_TO_[A-Z_]+)\)/u;
const NEVER: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there",
  ENOTFOUND: "there is no such host",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no network",
};
const CERTIFICATE = /CERT|UNABLE_TO_|^ERR_TLS|^ERR_SSL|^EPROTO$/u;
const NO_SERVER = /empty or malformed response/iu;
const CUT = /connection (?:to the API was )?lost/iu;
const TIMED_OUT = /timed out|ETIMEDOUT/iu;

/** Undefined where it was not the network, as far as the SDK's words tell. */
export function networkFailure(words: string): ModelFailure | undefined {
  const errno = ERRNO.exec(words)?.[1];
  if (CUT.test(words)) return cut(" before the reply was whole");
  if (TIMED_OUT.test(words)) return { ...cut(": nothing came in time"), hint: TIMEOUT_HINT };
  if (/API Error: Invalid URL$/u.test(words)) return unreachable("ANTHROPIC_BASE_URL is not an address");
  if (NO_SERVER.test(words)) return noModelServer();
  return errno === undefined ? undefined : ofErrno(errno);
}

const TIMEOUT_HINT = "Try again; where answers need longer, set API_TIMEOUT_MS to more milliseconds.";

function cut(how: string): ModelFailure {
  return { code: "MODEL_FAILED", message: `The stream of Claude was cut${how}.`, retry: "soon" };
}

function ofErrno(errno: string): ModelFailure {
  if (errno.startsWith("ERR_PROXY")) {
    const hint = "Change HTTPS_PROXY or HTTP_PROXY, or put the address into NO_PROXY.";
    return { ...unreachable(`the proxy refuses (${errno})`), hint };
  }
  if (CERTIFICATE.test(errno)) {
    const hint = "If a proxy or a gateway signs with an own certificate, name it in NODE_EXTRA_CA_CERTS.";
    return { ...unreachable(`its certificate is not trusted (${errno})`), hint };
  }
  const why = NEVER[errno];
  if (why !== undefined) return unreachable(`${why} (${errno})`);
  return { ...unreachable(`the connection failed (${errno})`), retry: "soon" };
}

function unreachable(why: string): ModelFailure {
  return {
    code: "MODEL_UNREACHABLE",
    message: `Claude cannot be reached: ${why}.`,
    hint: "Check the network, ANTHROPIC_BASE_URL where it is set, and HTTPS_PROXY and NO_PROXY.",
    retry: "never",
  };
}

function noModelServer(): ModelFailure {
  return {
    code: "MODEL_UNREACHABLE",
    message: "Something else answered in the place of Claude: what it sent is no reply of a model.",
    hint: "Check ANTHROPIC_BASE_URL where it is set. It may also be a proxy, or a login page of the network.",
    retry: "never",
  };
}
