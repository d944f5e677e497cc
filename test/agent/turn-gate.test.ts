import { describe } from "vitest";
import { gateContract } from "./support/gate-contract.ts";
import { stage } from "./support/stage.ts";

describe("the native agent, which does one thing at a time,", () => {
  gateContract(async (request) => stage(request));
});
