import { readFileSync } from "node:fs";
import * as manager from "../node_modules/pi-newest/dist/core/session-manager.js";
import { piDriver } from "./pi.mjs";

const manifest = new URL("../node_modules/pi-newest/package.json", import.meta.url);

/** The newest pi whose packages are all published. It requires Node 22, but its session manager runs on Node 20. */
export const driver = piDriver(manager, JSON.parse(readFileSync(manifest, "utf8")).version);
