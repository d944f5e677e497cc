import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { type PostgresServer, startPostgres } from "../../../scripts/postgres-server.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** Where a test file asks for the run's Postgres server. */
    readonly postgresDesk: string;
  }
}

/** Runs beside the tests of a whole run. The server is started for the first file that asks, and for none if none does. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined;
  const path = `/${randomBytes(12).toString("hex")}`;
  const desk = createServer((request, response) => {
    if (request.url !== path) return response.writeHead(404).end();
    // Nothing here outlives the run, so nothing need outlive a power cut.
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
