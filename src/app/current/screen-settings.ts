import type { ScreenSettings } from "../app-types.ts";
import type { SessionSwitcher } from "./session-switcher.ts";

/** What the screen goes by: always as the settings were read last, of the workspace that is here. */
export function screenSettings(switcher: SessionSwitcher): ScreenSettings {
  return {
    get doubleEscapeMs() {
      return switcher.values["ui.doubleEscapeMs"];
    },
    get theme() {
      return switcher.values["ui.theme"];
    },
    get mouse() {
      return switcher.values["ui.mouse"] ? "on" : "off";
    },
    get backtrackDisplay() {
      return switcher.values["backtrack.display"];
    },
  };
}
