import type { Provider } from "../../../agent/models/catalogue.ts";
import { WorldlineError } from "../../../record/error.ts";
import { table } from "../../../show/table.ts";
import { canAsk } from "../../ask.ts";
import type { Frame } from "../../command/frame.ts";
import { askForRow } from "../journeys/ask-for-row.ts";

/** The provider that is named, else the one that the person chooses. */
export async function chooseProvider(frame: Frame, wanted: string | undefined): Promise<Provider> {
  const { providersOf } = await import("../../../agent/models/catalogue.ts");
  const { values } = await frame.settings();
  const providers = providersOf({ providers: values.providers }, frame.surroundings.environment);
  if (wanted === undefined) return pick(frame, providers);
  const found = providers.find(({ name }) => name === wanted);
  if (found === undefined) throw unknown(providers);
  return found;
}

async function pick(frame: Frame, all: readonly Provider[]): Promise<Provider> {
  const providers = all.filter(({ keyVariable }) => keyVariable !== undefined);
  if (!canAsk(frame)) {
    throw new WorldlineError("whose-key", { providers: namesOf(providers) });
  }
  const { output, strings } = frame;
  output.notice(strings.setup.whichProvider);
  const { shownAddress } = await import("../../../agent/http-fetch.ts");
  const rows = providers.map(({ name, baseUrl }, index) => [String(index + 1), name, shownAddress(baseUrl)]);
  for (const line of table(rows)) output.notice(`  ${line}`);
  const { FINDER_MODEL } = await import("../../../finder/worker/offline-worker.ts");
  output.notice(strings.setup.withoutKey(FINDER_MODEL, strings.models.finder));
  const picked = providers[(await askForRow(frame, providers.length)) - 1];
  if (picked === undefined) throw new WorldlineError("cancelled", { left: "unchanged" });
  return picked;
}

/** Does not repeat what was typed: it may be the key. */
function unknown(providers: readonly Provider[]): WorldlineError {
  return new WorldlineError("provider-name-unknown", { providers: namesOf(providers) });
}

function namesOf(providers: readonly Provider[]): readonly string[] {
  return providers.map(({ name }) => name);
}
