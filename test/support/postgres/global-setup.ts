import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { type PostgresServer, startPostgres } from "../../../scripts/postgres-server.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** The address at which test files ask for this run's Postgres server. */
    readonly postgresDesk: string;
  }
}

/** Runs for the whole test run. The server is started when the first test file asks for it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined;
  const path = `/${randomBytes(12).toString("hex")}`;
  const desk = createServer((request, response) => {
    if (request.url !== path) return response.writeHead(404).end();
    // Nothing here outlives the run, so nothing has to survive a power cut.
    server ??= startPostgres({ fsync: "off" });
    server.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
    return undefined;
  });
  await new Promise<void>((resolve) => desk.listen(0, "127.0.0.1", resolve));
  desk.unref();
  project.provide("postgresDesk", `http://127.0.0.1:${(desk.address() as AddressInfo).port}${path}`);
  return async () => {
    desk.close();
    await (await server?.catch(() => undefined))?.remove();
  };
}
