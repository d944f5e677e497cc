import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "../../examples/executions/place.ts";
import { findPostgres } from "../../scripts/postgres-server.mjs";
import { inTempFolder } from "../../src/testing/testing.ts";
import { freshPostgres } from "./postgres/postgres.ts";

type InPlace = (work: (place: Place) => Promise<void>) => Promise<void>;
type StoreIn = (folder: string) => Promise<string>;

/**
 * The address of an empty store of each kind. `npm test` reports that Postgres is skipped if there is no
 * server.
 */
export const storesForTests: readonly (readonly [name: string, storeIn: StoreIn])[] = [
  ["files", async () => "files"],
  ["SQLite", async (folder) => `sqlite:${join(folder, "worldline.db")}`],
  ...(findPostgres() === undefined ? [] : [["Postgres", freshPostgres] as const]),
];

/** A place with its own store, for each kind. */
export const placesForTests: readonly (readonly [name: string, inPlace: InPlace])[] = storesForTests.map(
  ([name, storeIn]) => [name, inPlace(storeIn)],
);

function inPlace(storeIn: StoreIn): InPlace {
  return async (work) =>
    inTempFolder(async (folder) => {
      const workspace = join(folder, "workspace");
      mkdirSync(workspace);
      await work({ store: await storeIn(folder), home: join(folder, "home"), workspace });
    });
}
