import { repeatableAddress, type StoreAddress } from "../../../stores/store-address.ts";
import type { Environment } from "../../places/home.ts";

/** What the agent runs, and so the model, may read the variables: the database is then named without its password. */
export function withoutPassword(environment: Environment, store: StoreAddress): Environment {
  if (environment["WORLDLINE_STORE"] === undefined) return environment;
  return { ...environment, WORLDLINE_STORE: repeatableAddress(store).text };
}
