import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openFilesStore, systemClock } from "../../dist/index.js";
import { worldlineOn } from "./worldline-on.mjs";

const sessionIn = (dir) => readdirSync(join(dir, "sessions"))[0];

export const driver = worldlineOn({
  name: "worldline",
  storeIn: (dir) => openFilesStore({ root: dir, clock: systemClock }),
  sessionIn,
  logFile: (dir) => join(dir, "sessions", sessionIn(dir), "log.jsonl"),
});
