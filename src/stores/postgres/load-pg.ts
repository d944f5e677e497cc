import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type Pg from "pg";
import { errnoOf, WorldlineError } from "../../record/error.ts";
import type { ConnectionsOptions } from "./connections.ts";

/**
 * The package `pg`, which only those install who keep sessions in Postgres. It is looked for where Worldline itself
 * is installed. Not in the current folder unless the caller says so: whoever wrote the code in there would get
 * the password, and would be run before anybody has trusted them.
 */
export async function loadPg(options: Pick<ConnectionsOptions, "packages"> = {}): Promise<typeof Pg> {
  try {
    return pgOf(await import("pg"));
  } catch (error) {
    if (!isAbsent(error)) throw broken(error);
  }
  const found = options.packages === undefined ? undefined : resolveFrom(options.packages);
  if (found === undefined) throw new WorldlineError("pg-missing", {});
  try {
    return pgOf(await import(pathToFileURL(found).href));
  } catch (error) {
    throw broken(error);
  }
}

function pgOf(module: unknown): typeof Pg {
  const { default: whole } = module as { readonly default: typeof Pg };
  return whole;
}

function resolveFrom(folder: string): string | undefined {
  try {
    return createRequire(join(folder, "package.json")).resolve("pg");
  } catch {
    return undefined;
  }
}

/** Only its own absence: a package that is there and lacks one of its own is another matter. */
function isAbsent(error: unknown): boolean {
  const errno = errnoOf(error);
  const isMissing = errno === "ERR_MODULE_NOT_FOUND" || errno === "MODULE_NOT_FOUND";
  return isMissing && error instanceof Error && /package 'pg'|module 'pg'/u.test(error.message);
}

function broken(cause: unknown): WorldlineError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new WorldlineError("pg-broken", { why }, { cause });
}
