import type { PermissionRequest } from "../../../ports/person.ts";
import { hunksOfCall, unifiedOf } from "../../transcript/drawing/diff/hunk.ts";

/** An agent that does not say what its call would change: then what the call itself tells of that. */
export function withChange(request: PermissionRequest): PermissionRequest {
  if (request.diff !== undefined) return request;
  const hunks = hunksOfCall(request.tool, request.input);
  return hunks === undefined ? request : { ...request, diff: unifiedOf(hunks) };
}
