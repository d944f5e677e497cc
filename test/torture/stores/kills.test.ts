import { join } from "node:path";
import { expect, it } from "vitest";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { bundleChild } from "../../crash/children/bundle.ts";
import { killWriters } from "../../crash/children/killing.ts";
import { storesForTests } from "../../support/places-for-tests.ts";
import { printRow } from "../print-row.ts";

const SESSIONS = 3;
const KILLS_EACH = 100;
const databases = storesForTests.filter(([name]) => name !== "files");

it.each(databases)(
  "300 kills of writers to %s lose nothing that was acknowledged, and each has an heir at once",
  async (name, storeIn) => {
    await inTempFolder(async (folder) => {
      const script = await bundleChild("writer", folder);
      const store = await storeIn(folder);
      // Runs them in parallel in one database, each in its own session.
      const reports = await Promise.all(
        Array.from({ length: SESSIONS }, async (_, at) =>
          killWriters({
            script,
            store,
            home: join(folder, "home"),
            session: at + 1,
            kills: KILLS_EACH,
            seed: at + 1,
          }),
        ),
      );
      const sum = (field: keyof (typeof reports)[number]): number =>
        reports.reduce((total, report) => total + report[field], 0);
      printRow({
        store: name,
        sessions: SESSIONS,
        SIGKILL: sum("kills"),
        "acknowledged entries and blobs": sum("acknowledged"),
        lost: sum("lost"),
        "damaged lines": sum("damage"),
        "not taken over": sum("disinherited"),
      });
      expect([sum("lost"), sum("damage"), sum("disinherited")]).toEqual([0, 0, 0]);
    });
  },
);
