import { modelsOfServer } from "../../../agent/models/local-models.ts";
import { isOnThisMachine, providersOf } from "../../../agent/models/provider-table.ts";
import { signedIn } from "../../../agent/models/proxy.ts";
import type { OllamaFound } from "../../../ports/station/models.ts";
import type { Frame } from "../../command/frame.ts";

/** It is on this machine: it answers at once, or is not there. */
const PATIENCE_MS = 800;

/** Looks where OLLAMA_HOST says, if that is this machine; no other address is asked. Names as `choose` takes them. */
export async function findOllama(frame: Frame): Promise<OllamaFound | undefined> {
  const { values } = await frame.settings();
  const { environment } = frame.surroundings;
  const providers = providersOf({ providers: values.providers }, environment);
  const ollama = providers.find(({ kind }) => kind === "ollama");
  if (ollama === undefined || !isOnThisMachine(ollama.baseUrl)) return undefined;
  const found = await modelsOfServer(signedIn(ollama.baseUrl, shortFetch), "ollama");
  return found === undefined ? undefined : { models: found.map((name) => `${ollama.name}/${name}`) };
}

const shortFetch: typeof fetch = async (input, init) => {
  const short = AbortSignal.timeout(PATIENCE_MS);
  const signal = init?.signal == null ? short : AbortSignal.any([init.signal, short]);
  return fetch(input, { ...init, signal });
};
