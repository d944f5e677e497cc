import { DEFAULT_WINDOW } from "../../../agent/models/catalogue.ts";
import type { Settings } from "../../settings/table.ts";
import type { Answering } from "./answering.ts";

/** How many tokens the context holds, as far as it is known before anything was asked: the SDK says it in its answers. */
export function windowOf(answering: Answering, values: Pick<Settings, "context.window">): number {
  if (answering.host === "native") return answering.models.model.window;
  return values["context.window"] || DEFAULT_WINDOW;
}
