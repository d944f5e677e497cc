import type { PermissionMode } from "../../../ports/person.ts";
import type { SdkPermissionMode } from "../sdk/sdk-types.ts";

/** Our hook decides before the SDK does, so only plan mode, in which the model works by other instructions, is one of its own. */
export function sdkMode(mode: PermissionMode): SdkPermissionMode {
  return mode === "plan" ? "plan" : "default";
}
