import type { ScreenSettings } from "../../ports/station/station.ts";
import type { Seat } from "./here/seat.ts";

/** What the screen goes by: always as the settings were read last, of the workspace that is here. */
export function screenSettings(seat: Seat): ScreenSettings {
  return {
    get doubleEscapeMs() {
      return seat.values["ui.doubleEscapeMs"];
    },
    get theme() {
      return seat.values["ui.theme"];
    },
    get mouse() {
      return seat.values["ui.mouse"] ? "on" : "off";
    },
    get backtrackDisplay() {
      return seat.values["backtrack.display"];
    },
  };
}
