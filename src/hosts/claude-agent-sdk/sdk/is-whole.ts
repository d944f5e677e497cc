import { isJsonObject, type Json, type JsonObject } from "../../../record/json.ts";

/** Whether a message has what its kind needs to be read. It came as JSON, from a process that may be of another version. */
export function isWhole(message: object): boolean {
  const { type, parent_tool_use_id: parent, message: said, event, ...rest } = message as JsonObject;
  switch (type) {
    case "assistant":
      return (
        isParent(parent) && isJsonObject(said) && typeof said["id"] === "string" && isBlocks(said["content"])
      );
    case "user":
      return isParent(parent) && isJsonObject(said) && isUserContent(said["content"]);
    case "stream_event":
      return isParent(parent) && isJsonObject(event) && isEvent(event);
    case "system":
      return rest["subtype"] !== "compact_boundary" || isJsonObject(rest["compact_metadata"]);
    default:
      return true;
  }
}

function isParent(parent: Json | undefined): boolean {
  return parent === null || typeof parent === "string";
}

function isUserContent(content: Json | undefined): boolean {
  return typeof content === "string" || isBlocks(content);
}

function isBlocks(content: Json | undefined): boolean {
  return Array.isArray(content) && content.every(isJsonObject);
}

function isEvent(event: JsonObject): boolean {
  switch (event["type"]) {
    case "message_start":
      return isJsonObject(event["message"]);
    case "content_block_start":
      return isJsonObject(event["content_block"]);
    case "content_block_delta":
      return isJsonObject(event["delta"]);
    default:
      return true;
  }
}
