import { systemClock } from "../../disk/system-clock.ts";
import type { Ground } from "../../machine/open.ts";
import type { LogStore } from "../../ports/log-store.ts";
import { openFilesStore } from "../../stores/files/files.ts";
import type { Frame } from "../command/frame.ts";
import { provideHome } from "../places/home.ts";

/** To look at sessions. Needs no settings, so that a broken settings file hides nothing. */
export function openStore(frame: Frame): LogStore {
  return openFilesStore({ root: frame.home, clock: systemClock });
}

/** To write to sessions, as the settings say. */
export async function openGround(frame: Frame): Promise<Ground> {
  const { values } = await frame.settings();
  return {
    store: openFilesStore({ root: frame.home, clock: systemClock, rotateBytes: values["log.rotateBytes"] }),
    clock: systemClock,
    settings: {
      blobBytes: values["log.blobBytes"],
      window: values["context.window"],
      keepCheckpoints: values.checkpointKeepCount,
    },
  };
}

/** As `openGround`, for a command that makes a session: the home is there afterwards. */
export async function provideGround(frame: Frame): Promise<Ground> {
  const ground = await openGround(frame);
  await provideHome(frame.home);
  return ground;
}
