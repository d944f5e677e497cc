import { describe } from "vitest";
import { canInstallDependencies } from "../../../scripts/needs/registry.mjs";

/** `npm test` reports when tests that need the npm registry are skipped. */
export const describeWithRegistry = (await canInstallDependencies()) ? describe : describe.skip;
