import { writeSync } from "node:fs";
import type { AgentEvent } from "../../../../src/ports/agent-events.ts";
import type { SessionId } from "../../../../src/record/ids.ts";
import { killingDisk } from "../../agent/children/killing-disks.ts";
import { type ClaudeCrashPlace, openCrashClaude } from "../crash-claude.ts";
import { playStory } from "../story.ts";

/** The options that this process receives as its only argument. */
export interface ClaudeChildOptions {
  readonly place: ClaudeCrashPlace;
  readonly session: SessionId;
  /** The point at which the process kills itself; 0 means that it runs to the end. */
  readonly dieAt: number;
}

// Runs the story as its own process. It reports each acknowledged entry on its own line right away.
const request = JSON.parse(process.argv[2] ?? "") as ClaudeChildOptions;
const say = (line: string): number => writeSync(1, `${line}\n`);
let isStory = false;
let passed = 0;
/** The kind of the last entry that was written; it names the points that follow it. */
let behind = "begin";
const around: string[] = [];

function point(): void {
  if (!isStory) return;
  passed += 1;
  around.push(behind);
  if (passed === request.dieAt) process.kill(process.pid, "SIGKILL");
}

function tell(event: AgentEvent, session: SessionId): void {
  if (event.type === "sub-agent") tell(event.event, event.session);
  if (event.type !== "entry") return;
  behind = event.entry.kind;
  say(`entry ${session} ${event.entry.seq} ${event.entry.id}`);
}

Object.assign(process.env, request.place.environment);
const { agent, close } = await openCrashClaude(request.place, request.session, killingDisk(point));
agent.on((event) => tell(event, request.session));
isStory = true;
const ends = await playStory(agent);
isStory = false;
say(`points ${around.join(",")}`);
say(`ended ${ends.join(",")}`);
await close();
