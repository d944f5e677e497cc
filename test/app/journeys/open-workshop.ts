import { onTestFinished } from "vitest";
import { queriesOn } from "../../../src/app/app.ts";
import type { SessionAccess } from "../../../src/app/current/current-session.ts";
import { journeysOn } from "../../../src/app/current/journeys.ts";
import type { Notice } from "../../../src/app/notices.ts";
import { type AgentSession, openAgentSession } from "../../../src/app/sessions/agent-session.ts";
import type { Session } from "../../../src/machine/session.ts";
import type { Agent } from "../../../src/ports/agent.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { textPart } from "../../../src/record/parts.ts";
import { frameOf } from "../../cli/support/frame-of.ts";
import { type Workshop, workshop } from "../../cli/support/workshop.ts";

const WINDOW = 200_000;

/**
 * Opens a real agent session in a workspace, with the journeys and queries of the app on top. It needs no
 * model.
 */
export async function openWorkshop(place: Workshop = workshop()) {
  const environment = { HOME: place.root, PATH: process.env["PATH"] ?? "" };
  const bare = frameOf(place, { environment });
  const reported: Notice[] = [];
  const frame = {
    ...bare,
    listener: { ...bare.listener, report: (notice: Notice) => void reported.push(notice) },
  };
  const open = (wanted?: string) =>
    openAgentSession(frame, {
      resume: wanted === undefined ? { how: "new" } : { how: "resume", wanted },
      fork: "no",
      keepSession: "yes",
      window: WINDOW,
    });
  let opened = await open();
  let isBusy = false;
  const leave = async () => {
    await opened.session.close();
    await opened.workspaceFiles.files?.close();
  };
  onTestFinished(leave);
  const parts: SessionAccess = {
    here: () => ({ context: frame, agent: agentOf(opened), opened }),
    alone: async (work) => {
      if (isBusy)
        throw new WorldlineError("stated", {
          code: "TURN_RUNNING",
          message: "Something is still running in this session.",
        });
      return work();
    },
    open: async (session) => {
      if (session === opened.session.id) return;
      await leave();
      opened = await open(session);
    },
    warn: (notice) => void reported.push(notice),
  };
  return {
    ...place,
    parts,
    /** The notices that were reported. */
    reported,
    journeys: journeysOn(parts),
    looking: queriesOn(parts),
    session: (): Session => opened.session,
    busy: (state: "busy" | "idle") => {
      isBusy = state === "busy";
    },
    /** Switches to another session, or to a new one. */
    reopen: async (session?: string) => {
      await leave();
      opened = await open(session);
    },
  };
}

export type OpenWorkshop = Awaited<ReturnType<typeof openWorkshop>>;

/** A minimal agent with only the members that the app uses. */
function agentOf({ session }: AgentSession): Agent {
  const known = { session: session.id, workspace: session.header.workspace };
  const on: Agent["on"] = (listener) => {
    listener({
      ...known,
      type: "session",
      version: 1,
      resumed: "new",
      model: "scripted/one",
      window: WINDOW,
      mode: "manual",
      tools: [],
    });
    return () => undefined;
  };
  return { ...known, on } as Agent;
}

export const usage = { input: 900, output: 40, cacheRead: 0, cacheWrite: 0 };

/**
 * Plays a turn of two steps whose only tool runs `edit`: checkpoints for the prompt and both steps, all
 * captured.
 */
export async function turn(session: Session, prompt: string, edit: () => void): Promise<number> {
  const { checkpoint } = await session.prompt(prompt);
  await session.capture({ checkpoint, author: "outside" });
  const step = await session.step();
  await session.capture({ checkpoint: step, author: "timeline" });
  const call = `c${step}`;
  await session.reply({
    model: "scripted/one",
    parts: [{ type: "tool-call", call, name: "Bash", input: { command: "make it so" } }],
    usage,
  });
  await session.toolStart(call, "Bash", { input: { command: "make it so" } });
  edit();
  await session.toolEnd(call, "ok", "done");
  const last = await session.step();
  await session.capture({ checkpoint: last, author: "timeline" });
  await session.reply({ model: "scripted/one", parts: [textPart(`I did: ${prompt}`)], usage });
  return checkpoint;
}
