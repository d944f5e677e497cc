import { errnoOf, WorldlineError } from "../../record/error.ts";
import type { PostgresAddress } from "./address.ts";

/**
 * Kinds of failures. "lost" means that there is no connection. "clash" means that there was a conflict with another
 * transaction. "made" means that another transaction has just created the same row or table. In these three cases,
 * nothing was changed, and the same work can be tried again. "busy" means that the database was busy for as long as
 * this process is allowed to wait.
 */
export type Fate = "lost" | "clash" | "made" | "busy" | "full" | "refused" | "unwritable" | "other";

/**
 * Maps error codes, or their first two characters for a whole class, to kinds of failures. See
 * https://www.postgresql.org/docs/current/errcodes-appendix.html.
 */
const FATE_OF_STATE: Readonly<Record<string, Fate>> = {
  "08": "lost",
  "25P03": "lost",
  "53300": "lost",
  "57P01": "lost",
  "57P02": "lost",
  "57P03": "lost",
  "57P05": "lost",
  "40001": "clash",
  "40P01": "clash",
  // Two transactions created the same row or table at the same time. If this transaction is run again, it will find the
  // row or table.
  "23505": "made",
  "42P06": "made",
  "42P07": "made",
  "42710": "made",
  "55P03": "busy",
  "57014": "busy",
  "53": "busy",
  "53100": "full",
  "28": "refused",
  "3D000": "refused",
  "25006": "unwritable",
  "42501": "unwritable",
};

const LOST_ERRNOS: ReadonlySet<string> = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  // The socket does not exist, perhaps because the server is still starting.
  "ENOENT",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

/** Matches the messages of connection errors that do not have a code from `pg` or from the operating system. */
const LOST_WORDS = /^Connection terminated|not queryable|^timeout expired|^Query read timeout/u;
const POOL_WORDS = /^timeout exceeded when trying to connect/u;
const REFUSED_WORDS = /^SASL|password must be a string|does not support SSL|certificate|altnames/u;

export function fateOf(error: unknown): Fate {
  const code = errnoOf(error) ?? "";
  const message = error instanceof Error ? error.message : "";
  if (/^[0-9A-Z]{5}$/u.test(code) && !LOST_ERRNOS.has(code)) return fateOfState(code, message);
  if (LOST_ERRNOS.has(code) || LOST_WORDS.test(message)) return "lost";
  if (POOL_WORDS.test(message)) return "busy";
  if (REFUSED_WORDS.test(message) || /CERT|TLS/u.test(code)) return "refused";
  return "other";
}

function fateOfState(state: string, message: string): Fate {
  // A standby server rejects a transaction that may write, and reports an unsupported feature.
  if (state === "0A000" && /hot standby/u.test(message)) return "unwritable";
  return FATE_OF_STATE[state] ?? FATE_OF_STATE[state.slice(0, 2)] ?? "other";
}

/**
 * Checks whether a transaction may have been committed even though COMMIT failed, because the server did not report the
 * failure.
 */
export function isInDoubt(error: unknown): boolean {
  const code = errnoOf(error) ?? "";
  const isAnswer = /^[0-9A-Z]{5}$/u.test(code) && !LOST_ERRNOS.has(code);
  return !isAnswer || fateOf(error) === "lost" || /^(XX|58)/u.test(code);
}

/**
 * Returns a copy of an error without the client that `pg` attaches to it, because the client's settings contain the
 * password. Also replaces passwords in the message.
 */
export function scrubbed(error: unknown, address: PostgresAddress): Error {
  const code = errnoOf(error);
  const said = error instanceof Error ? error.message : String(error);
  // If several addresses were tried, Node's message is empty, so the messages of all errors are joined.
  const message = said === "" && error instanceof AggregateError ? reasonsOf(error) : said;
  const clean = address.secrets.reduce((text, secret) => text.replaceAll(secret, "***"), message);
  return Object.assign(new Error(clean), code === undefined ? {} : { code });
}

function reasonsOf(error: AggregateError): string {
  return error.errors.map((each) => (each instanceof Error ? each.message : String(each))).join(", ");
}

/** Creates the error for the user, after the last retry or if a retry would not help. */
export function postgresError(
  error: unknown,
  address: PostgresAddress,
  doing: "read" | "write",
): WorldlineError {
  const cause = scrubbed(error, address);
  const { name, user, database } = address;
  const [state, said] = [errnoOf(error) ?? "", { name, why: cause.message }];
  switch (fateOf(error)) {
    case "lost":
      return new WorldlineError("postgres-lost", said, { cause });
    case "clash":
      return new WorldlineError("postgres-clash", said, { cause });
    case "made":
      return new WorldlineError("postgres-made-already", said, { cause });
    case "busy":
      return new WorldlineError("postgres-busy", said, { cause });
    case "full":
      return new WorldlineError("postgres-full", said, { cause });
    case "refused": {
      const refusal = refusalOf(said.why, state);
      return new WorldlineError("postgres-refused", { ...said, user, database, refusal }, { cause });
    }
    case "unwritable":
      return state === "42501"
        ? new WorldlineError("postgres-without-rights", { ...said, user }, { cause })
        : new WorldlineError("postgres-read-only", said, { cause });
    default:
      return doing === "write"
        ? new WorldlineError("postgres-failed-while-writing", said, { cause })
        : new WorldlineError("postgres-failed-while-reading", said, { cause });
  }
}

/** Returns the reason for a rejection by the server or by TLS. Uses the message if the error does not have a code. */
function refusalOf(why: string, state: string): "no-database" | "no-tls" | "certificate" | "login" {
  if (state === "3D000") return "no-database";
  if (/SSL/u.test(why)) return "no-tls";
  return /certificate|altnames/u.test(why) ? "certificate" : "login";
}
