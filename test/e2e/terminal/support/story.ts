import { onTestFinished } from "vitest";
import { binary } from "../../binary.ts";
import type { Pty } from "./pty.ts";
import { type OpenOptions, openScene, type Scene, type SceneOptions } from "./scene.ts";

export interface Story {
  readonly scene: Scene;
  readonly terminal: Pty;
}

/** A scene that is removed after its test. Without `program`, it opens the built command line. */
export async function storyOf(options: Partial<SceneOptions> = {}): Promise<Scene> {
  const scene = await openScene({ program: [process.execPath, binary], ...options });
  onTestFinished(() => scene.close());
  return scene;
}

/** The real program, opened in its own terminal. */
export async function openWorldline(options: Partial<SceneOptions> & OpenOptions = {}): Promise<Story> {
  const scene = await storyOf(options);
  return { scene, terminal: scene.open(options) };
}
