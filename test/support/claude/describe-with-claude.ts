import { describe } from "vitest";
import { claudeSdkForTests } from "../../../scripts/claude-sdk.mjs";
import { loadClaudeSdk } from "../../../src/hosts/claude-agent-sdk/sdk/load-sdk.ts";
import type { ClaudeSdk } from "../../../src/hosts/claude-agent-sdk/sdk/sdk-types.ts";

const found = claudeSdkForTests();

/** `npm test` reports that these are skipped if the SDK is missing and cannot be installed. */
export const describeWithClaude = found === undefined ? describe.skip : describe;

/** The folder of the real package, for `claude.sdk` and for tests that look for it. */
export function claudeSdkFolder(): string {
  if (found === undefined)
    throw new Error("There is no Claude Agent SDK here: describeWithClaude was not asked.");
  return found;
}

export async function realClaudeSdk(): Promise<ClaudeSdk> {
  return loadClaudeSdk({ folder: claudeSdkFolder() });
}
