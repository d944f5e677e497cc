import { modelServer } from "../../../agent/models/access.ts";
import { isOnThisMachine, providersOf } from "../../../agent/models/catalogue.ts";
import { modelsOfServer } from "../../../agent/models/choose-model.ts";
import type { AppContext } from "../../context.ts";
import type { OllamaFound } from "./model-types.ts";

/** It is on this machine: it answers at once, or is not there. */
const PATIENCE_MS = 800;

/** Looks where OLLAMA_HOST says, if that is this machine; no other address is asked. Names as `choose` takes them. */
export async function findOllama(context: AppContext): Promise<OllamaFound | undefined> {
  const { values } = await context.settings();
  const { environment } = context.surroundings;
  const providers = providersOf({ providers: values.providers }, environment);
  const ollama = providers.find(({ kind }) => kind === "ollama");
  if (ollama === undefined || !isOnThisMachine(ollama.baseUrl)) return undefined;
  const limits = { connectMs: PATIENCE_MS, silenceMs: PATIENCE_MS };
  const server = modelServer(ollama.baseUrl, { environment, limits });
  const found = await modelsOfServer(server, "ollama");
  return found === undefined ? undefined : { models: found.map((name) => `${ollama.name}/${name}`) };
}
