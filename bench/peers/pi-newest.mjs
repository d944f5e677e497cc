import { readFileSync } from "node:fs";
import * as manager from "../node_modules/pi-newest/dist/core/session-manager.js";
import { piDriver } from "./pi.mjs";

const manifest = new URL("../node_modules/pi-newest/package.json", import.meta.url);

/** The newest pi whose packages are all published. It asks for Node 22; its session manager runs on 20. */
export const driver = piDriver(manager, JSON.parse(readFileSync(manifest, "utf8")).version);
