import { userInfo } from "node:os";
import { WorldlineError } from "../../record/error.ts";

/** The address of a server, with a form for display that does not contain the password. */
export interface PostgresAddress {
  /** The connection string for `pg`. The string may contain the password, so it must never be shown. */
  readonly connection: string;
  /** The address for display: `postgres://user@host:port/database`. */
  readonly name: string;
  readonly user: string;
  readonly database: string;
  /** Strings that must not appear in any message. */
  readonly secrets: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORT = "5432";

/**
 * Parses the address. Errors never quote any part of the address, because the password may be anywhere in an address
 * that cannot be parsed. Takes missing parts from the environment, as `pg` and `psql` do.
 */
export function parseAddress(url: string, environment: Environment = process.env): PostgresAddress {
  const parsed = parse(url, environment);
  const given = (key: string): string => parsed.searchParams.get(key) ?? "";
  const user = given("user") || decoded(parsed.username) || environment["PGUSER"] || systemUser();
  const written = hostOf(parsed);
  const host = given("host") || written || environment["PGHOST"] || "localhost";
  const port = given("port") || parsed.port || environment["PGPORT"] || DEFAULT_PORT;
  const database = decoded(parsed.pathname.slice(1)) || environment["PGDATABASE"] || user;
  if (!/^\d{1,5}$/u.test(port)) throw new WorldlineError("postgres-address-unreadable", { why: "bad-port" });
  if (database.includes("/"))
    throw new WorldlineError("postgres-address-unreadable", { why: "more-than-a-database" });
  const passwords = [
    given("password"),
    given("sslpassword"),
    decoded(parsed.password),
    parsed.password,
    environment["PGPASSWORD"],
  ];
  return {
    connection: connectionOf(parsed),
    name: nameOf({ user, host, port, database }),
    user,
    database,
    secrets: passwords.filter((each): each is string => each !== undefined && each !== ""),
  };
}

function parse(url: string, environment: Environment): URL {
  if (!/^postgres(ql)?:\/\//iu.test(url))
    throw new WorldlineError("postgres-address-unreadable", { why: "other-scheme" });
  const behind = url.replace(/^[^:]*:\/\//u, "").replace(/^[^/?#]*/u, "");
  // A password with an unescaped /, ?, or # is rejected. Otherwise, the part after that character would be treated as a
  // database name and shown.
  if (/[@#]/u.test(behind))
    throw new WorldlineError("postgres-address-unreadable", { why: "sign-behind-host" });
  if (/%(?![0-9a-f]{2})/iu.test(url))
    throw new WorldlineError("postgres-address-unreadable", { why: "bad-percent" });
  // Node rejects a URL with a user but no host, whereas `psql` accepts it and takes the host from elsewhere.
  const isHostless = /^[^/]*\/\/[^/]*@\//u.test(url);
  try {
    const parsed = new URL(
      (isHostless ? url.replace("@/", "@localhost/") : url).replace(/^postgresql:/iu, "postgres:"),
    );
    const host = environment["PGHOST"];
    if (isHostless && host !== undefined && !parsed.searchParams.has("host"))
      parsed.searchParams.set("host", host);
    return parsed;
  } catch {
    throw new WorldlineError("postgres-address-unreadable", { why: "not-a-url" });
  }
}

function hostOf({ hostname }: URL): string {
  return decoded(hostname).replace(/^\[(.+)\]$/u, "$1");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new WorldlineError("postgres-address-unreadable", { why: "not-utf8" });
  }
}

/**
 * Returns the connection string for `pg`. In several TLS modes, `pg` 8 checks the server's certificate but warns that
 * its next version will not. The mode that always checks the certificate is therefore requested by name.
 */
function connectionOf(parsed: URL): string {
  const checked = new URL(parsed);
  const mode = checked.searchParams.get("sslmode") ?? "";
  const isLibpq = checked.searchParams.has("uselibpqcompat");
  if (!isLibpq && ["prefer", "require", "verify-ca"].includes(mode)) {
    checked.searchParams.set("sslmode", "verify-full");
  }
  return checked.href;
}

function nameOf(parts: Record<"user" | "host" | "port" | "database", string>): string {
  const { host, port } = parts;
  const user = encodeURIComponent(parts.user);
  const database = encodeURIComponent(parts.database);
  if (!host.startsWith("/")) {
    return `postgres://${user}@${host.includes(":") ? `[${host}]` : host}:${port}/${database}`;
  }
  return `postgres://${user}@/${database}?host=${host}${port === DEFAULT_PORT ? "" : `&port=${port}`}`;
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return "";
  }
}
