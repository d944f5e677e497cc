import { readdirSync } from "node:fs";
import { join } from "node:path";
import { worldlineOn } from "./worldline-on.mjs";

const sessionIn = (dir) => readdirSync(join(dir, "sessions"))[0];

export const driver = worldlineOn({
  name: "worldline",
  address: () => "files",
  sessionIn,
  logFile: (dir) => join(dir, "sessions", sessionIn(dir), "log.jsonl"),
});
