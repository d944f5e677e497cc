import { systemClock } from "../../disk/system-clock.ts";
import type { Ground } from "../../machine/open.ts";
import { type OpenStoreOptions, openStore as openAddress } from "../../open-store.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { shownAddress } from "../../stores/store-address.ts";
import type { AppContext } from "../context.ts";
import { provideHome } from "../places/home.ts";
import { settingOf } from "../settings/table.ts";

/** How long somebody who waits for an answer is kept waiting by a server that does not give any. */
const PATIENCE_MS = 10_000;

/** To look at sessions. Needs no settings, so that a broken settings file hides nothing. */
export function openStore(context: AppContext): LogStore {
  return storeOf(context, {});
}

/** To write to sessions, as the settings say. */
export async function openGround(context: AppContext): Promise<Ground> {
  const { values } = await context.settings();
  return {
    store: storeOf(context, { rotateBytes: values["log.rotateBytes"], leaseMs: values["lock.leaseMs"] }),
    clock: systemClock,
    settings: {
      blobBytes: values["log.blobBytes"],
      window: values["context.window"],
      keepCheckpoints: values.checkpointKeepCount,
    },
  };
}

/**
 * Files cost nothing to open, and whoever opens them sees them as they are now. A connection is made once, unless the
 * settings want other leases than whoever only looks has asked for.
 */
function storeOf(
  { common, home, stores, listener }: AppContext,
  options: Pick<OpenStoreOptions, "rotateBytes" | "leaseMs">,
): LogStore {
  const onMissing: OpenStoreOptions["onMissing"] = (missing) => {
    const entries = missing.reduce((sum, each) => sum + each.entries, 0);
    listener.report({ code: "entries-missing", entries, sessions: missing.length });
  };
  const open = (): LogStore =>
    openAddress(common.store, { ...options, home, patienceMs: PATIENCE_MS, onMissing });
  if (common.store.kind === "files") return open();
  const { leaseMs = settingOf("lock.leaseMs").default } = options;
  return stores.open(`${shownAddress(common.store)} ${leaseMs}`, open);
}

/** As `openGround`, for a command that makes a session: the home is there afterwards. */
export async function provideGround(context: AppContext): Promise<Ground> {
  const ground = await openGround(context);
  await provideHome(context.home);
  return ground;
}
