import type { CommandEntry } from "./cli/command/command.ts";

/**
 * What Worldline shows of itself. Only this file imports demo/, and only when a demonstration is asked for: without it the
 * rest of src/ would still be whole.
 */
export const demonstrationCommands: readonly CommandEntry[] = [
  {
    name: "prove",
    summary: "attack a copy of a folder, and prove that everything comes back",
    group: "Files:",
    load: async () => (await import("../demo/prove/prove.ts")).prove,
  },
  {
    name: "story",
    summary: "play a scripted story on a real timeline, and prove what it promises",
    group: "Looking:",
    load: async () => (await import("../demo/story/story.ts")).story,
  },
];

/** Breaks the sample project, and has the finder find it. */
export const loadFindSample = async () => import("../demo/sample/find-sample.ts");

/** The sample project itself. */
export const loadSampleProject = async () => import("../demo/sample/project.ts");
