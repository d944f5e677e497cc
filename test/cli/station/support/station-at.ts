import { onTestFinished } from "vitest";
import { printPerson } from "../../../../src/cli/commands/agent/print/print-person.ts";
import type { Wish } from "../../../../src/cli/commands/agent/wish.ts";
import { openStation } from "../../../../src/cli/station/station.ts";
import type { Station, StationEvent } from "../../../../src/ports/station/station.ts";
import { openModelServer, type ScriptedReply, scripted } from "../../../../src/testing/testing.ts";
import type { playground } from "../../support/command-line.ts";
import { frameOf } from "../../support/frame-of.ts";

const newWish: Wish = {
  print: "no",
  outputFormat: "text",
  allow: [],
  deny: [],
  resume: { how: "new" },
  fork: "no",
  host: "native",
  keepSession: "yes",
};

type Place = Pick<ReturnType<typeof playground>, "root" | "home" | "workspace">;

/** Of the environment only what starts programs. */
function bareEnvironment({ root }: Place): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: root };
}

/** A station that is closed when the test is over, with all that it told. */
export async function stationAt(
  place: Place,
  { environment = {}, wish = {} }: { environment?: Record<string, string>; wish?: Partial<Wish> } = {},
) {
  const frame = frameOf(place, { environment: { ...bareEnvironment(place), ...environment } });
  const station = await openStation(
    frame,
    { ...newWish, ...wish },
    printPerson(() => undefined),
  );
  const told: StationEvent[] = [];
  const warnings = [...station.warnings];
  station.on((event) => told.push(event));
  const close = once(() => station.close());
  onTestFinished(async () => {
    await close();
  });
  return { station, told, warnings, close };
}

/** The same with a model that says these things. */
export async function talkingStation(place: Place, ...replies: readonly ScriptedReply[]) {
  const server = await openModelServer(scripted(...replies));
  onTestFinished(() => server.close());
  const environment = server.environment("anthropic");
  return { ...(await stationAt(place, { environment })), environment };
}

function once(make: () => ReturnType<Station["close"]>): () => ReturnType<Station["close"]> {
  let made: ReturnType<Station["close"]> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
