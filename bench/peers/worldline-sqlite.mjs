import { join } from "node:path";
import { worldlineOn } from "./worldline-on.mjs";

export const driver = worldlineOn({
  name: "worldline in SQLite",
  address: (dir) => `sqlite:${join(dir, "worldline.db")}`,
});
