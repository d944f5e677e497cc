import { readFileSync } from "node:fs";
import * as manager from "../node_modules/pi-node20/dist/core/session-manager.js";
import { piDriver } from "./pi.mjs";

const manifest = new URL("../node_modules/pi-node20/package.json", import.meta.url);

/** The last pi made for Node 20. */
export const driver = piDriver(manager, JSON.parse(readFileSync(manifest, "utf8")).version);
