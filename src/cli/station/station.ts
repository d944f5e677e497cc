import type { Person } from "../../ports/person.ts";
import type { Station } from "../../ports/station/station.ts";
import type { Frame } from "../command/frame.ts";
import type { Wish } from "../commands/agent/wish.ts";
import { stationFirstSteps } from "./first-steps/station-first-steps.ts";
import { Seat } from "./here/seat.ts";
import { stationJourneys } from "./journeys/station-journeys.ts";
import { stationLooking } from "./looking/station-looking.ts";
import { stationModels } from "./models/station-models.ts";
import { screenSettings } from "./screen-settings.ts";
import { openSession, stationSessions } from "./sessions/station-sessions.ts";
import type { StationParts } from "./station-parts.ts";
import { stationUpkeep } from "./upkeep/station-upkeep.ts";

/** From what the person wants to a place where they can sit. With or without a model; whatever else is wrong is thrown. */
export async function openStation(frame: Frame, wish: Wish, person: Person): Promise<Station> {
  const seat = await Seat.open(frame, wish, person);
  const parts: StationParts = {
    here: () => seat.here,
    alone: (work) => seat.alone(work),
    open: (session) => seat.alone(async () => openSession(seat, session, "visited")),
    warn: (message, hint) => seat.warn({ message, ...(hint === undefined ? {} : { hint }) }),
  };
  return {
    get agent() {
      return seat.here.agent;
    },
    get model() {
      return seat.model;
    },
    get warnings() {
      return seat.warnings;
    },
    auto: seat.auto,
    settings: screenSettings(seat),
    looking: stationLooking(parts),
    journeys: stationJourneys(parts),
    sessions: stationSessions(seat),
    models: stationModels(seat),
    upkeep: stationUpkeep(seat),
    firstSteps: stationFirstSteps(seat),
    on: (listener) => seat.on(listener),
    close: () => seat.close(),
  };
}
