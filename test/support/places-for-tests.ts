import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "../../examples/executions/place.ts";
import { findPostgres } from "../../scripts/postgres-server.mjs";
import { inTempFolder } from "../../src/testing/testing.ts";
import { freshPostgres } from "./postgres/postgres.ts";

type InPlace = (work: (place: Place) => Promise<void>) => Promise<void>;

/** Each store in a place of its own. `npm test` says that Postgres is left out where there is no server. */
export const placesForTests: readonly (readonly [name: string, inPlace: InPlace])[] = [
  ["files", inPlace(async () => "files")],
  ["SQLite", inPlace(async (folder) => `sqlite:${join(folder, "worldline.db")}`)],
  ...(findPostgres() === undefined ? [] : [["Postgres", inPlace(freshPostgres)] as const]),
];

function inPlace(storeIn: (folder: string) => Promise<string>): InPlace {
  return async (work) =>
    inTempFolder(async (folder) => {
      const workspace = join(folder, "workspace");
      mkdirSync(workspace);
      await work({ store: await storeIn(folder), home: join(folder, "home"), workspace });
    });
}
