import { openStore } from "../../dist/index.js";
import { addressIn, bytesIn, makeSchema } from "../postgres.mjs";
import { worldlineOn } from "./worldline-on.mjs";

export const driver = worldlineOn({
  name: "worldline in Postgres",
  prepare: makeSchema,
  storeIn: (dir) => openStore(addressIn(dir)),
  bytesOnDisk: bytesIn,
});
