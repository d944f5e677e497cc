import { addressIn, bytesIn, makeSchema } from "../postgres.mjs";
import { worldlineOn } from "./worldline-on.mjs";

export const driver = worldlineOn({
  name: "worldline in Postgres",
  prepare: makeSchema,
  address: addressIn,
  bytesOnDisk: bytesIn,
});
