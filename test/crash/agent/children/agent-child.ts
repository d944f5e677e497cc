import { writeSync } from "node:fs";
import type { AgentEvent } from "../../../../src/ports/agent-events.ts";
import type { SessionId } from "../../../../src/record/ids.ts";
import { type CrashPlace, openCrashAgent } from "../crash-agent.ts";
import { killingDisk, killingWorkspaceDisk } from "./killing-disks.ts";
import { killingStore } from "./killing-store.ts";

/** The options that this process receives as its only argument. */
export interface AgentChildOptions {
  readonly place: CrashPlace;
  readonly session: SessionId;
  readonly prompt: string;
  /** A command of the user to run instead of the prompt. */
  readonly command?: string;
  /**
   * The point at which the process kills itself; 0 means that it runs to the end, or until it is killed from
   * outside.
   */
  readonly dieAt: number;
}

// Runs as its own process: one turn of the agent, or one command. It reports each acknowledged entry on its
// own line right away.
const request = JSON.parse(process.argv[2] ?? "") as AgentChildOptions;
const say = (line: string): number => writeSync(1, `${line}\n`);
let isTurn = false;
let passed = 0;
let openCalls = 0;
const inCalls: number[] = [];

function point(): void {
  if (!isTurn) return;
  passed += 1;
  if (openCalls > 0) inCalls.push(passed);
  if (passed === request.dieAt) process.kill(process.pid, "SIGKILL");
}

function tell(event: AgentEvent, session: SessionId): void {
  if (event.type === "entry") say(`entry ${session} ${event.entry.seq} ${event.entry.id}`);
  if (event.type === "sub-agent") tell(event.event, event.session);
}

const { agent, close } = await openCrashAgent(request.place, request.session, {
  disk: killingDisk(point),
  database: (store) => killingStore(store, point),
  workspaceDisk: killingWorkspaceDisk(point),
});
agent.on((event) => {
  tell(event, request.session);
  if (event.type === "entry" && event.entry.kind === "tool-start") openCalls += 1;
  if (event.type === "entry" && event.entry.kind === "tool-end") openCalls -= 1;
  point();
});
isTurn = true;
say("begun");
const end =
  request.command === undefined
    ? await agent.prompt(request.prompt)
    : await agent.run(request.command, "model");
isTurn = false;
say(`points ${passed} ${inCalls.join(",")}`);
say(`ended ${end.outcome}`);
await close();
