import { join } from "node:path";
import { openStore } from "../../dist/index.js";
import { worldlineOn } from "./worldline-on.mjs";

export const driver = worldlineOn({
  name: "worldline in SQLite",
  storeIn: (dir) => openStore(`sqlite:${join(dir, "worldline.db")}`),
});
