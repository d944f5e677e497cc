import { openFilesStore, openWorkspaceFiles, systemClock, type WorkspaceFiles } from "../../../src/index.ts";
import { createSession, holdSession, type SessionContext } from "../../../src/machine/open.ts";
import type { Session } from "../../../src/machine/session.ts";
import { openScene, type Scene } from "./scene.ts";

export interface AgentScene extends Pick<Scene, "sh" | "workspace" | "home" | "json" | "worldline"> {
  readonly session: Session;
  readonly files: WorkspaceFiles;
  /** A prompt from the user, with a capture of the files at that moment. */
  prompt(text: string): Promise<number>;
  /** A step of the agent with one tool call, a shell command. */
  step(script: string): Promise<number>;
  /** The complete context as one text. */
  modelSees(): Promise<string>;
}

const holding = { name: "a test" };

/** An agent's session on real files; both the agent and the user work through a shell. */
export async function withAgent(work: (scene: AgentScene) => Promise<void>): Promise<void> {
  const scene = openScene();
  try {
    await opened(scene, async (deps, files) => {
      const request = { workspace: scene.workspace, system: "You are an agent." };
      const session = await createSession(deps, request, holding);
      await atWork(agentIn(scene, session, files), work);
    });
  } finally {
    scene.remove();
  }
}

/** Continues the scene on the next day: closes everything and opens it again. */
export async function tomorrow(
  yesterday: AgentScene,
  work: (scene: AgentScene) => Promise<void>,
): Promise<void> {
  await yesterday.session.close();
  await opened(yesterday, async (deps, files) => {
    const session = await holdSession(deps, yesterday.session.id, holding);
    await atWork(agentIn(yesterday, session, files), work);
  });
}

async function opened(
  { home, workspace }: Pick<Scene, "home" | "workspace">,
  work: (deps: SessionContext, files: WorkspaceFiles) => Promise<void>,
): Promise<void> {
  const files = await openWorkspaceFiles({ workspace, home });
  const deps = { store: openFilesStore({ root: home, clock: systemClock }), clock: systemClock, files };
  try {
    await work(deps, files);
  } finally {
    await files.close();
  }
}

async function atWork(scene: AgentScene, work: (scene: AgentScene) => Promise<void>): Promise<void> {
  try {
    await work(scene);
  } finally {
    await scene.session.close();
  }
}

function agentIn(
  scene: Pick<Scene, "sh" | "workspace" | "home" | "json" | "worldline">,
  session: Session,
  files: WorkspaceFiles,
): AgentScene {
  const { sh, workspace, home, json, worldline } = scene;
  return {
    ...{ sh, workspace, home, json, worldline, session, files },
    prompt: async (text) => {
      const { checkpoint } = await session.prompt(text);
      await session.capture({ checkpoint, author: "outside" });
      return checkpoint;
    },
    step: async (script) => {
      const number = await session.step();
      await session.capture({ checkpoint: number, author: "timeline" });
      const call = `call${number}`;
      const parts = [{ type: "tool-call", call, name: "shell", input: { script } }] as const;
      await session.reply({ model: "m", parts });
      await session.toolStart(call, "shell");
      sh(script);
      await session.toolEnd(call, "ok", "done");
      await session.capture({ checkpoint: await session.step(), author: "timeline" });
      await session.reply({ model: "m", parts: [{ type: "text", text: "Done." }] });
      return number;
    },
    modelSees: async () => JSON.stringify((await session.context()).messages),
  };
}
