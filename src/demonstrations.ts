import type { CommandEntry } from "./cli/command.ts";

/**
 * Commands that demonstrate Worldline on data of their own. Only this file imports demo/, and each part only on demand,
 * because the rest of src/ does not need it.
 */
export const demonstrationCommands: readonly CommandEntry[] = [
  {
    name: "prove",
    summary: (help) => help.prove.summary,
    group: "files",
    load: async () => (await import("../demo/prove/prove.ts")).prove,
  },
  {
    name: "story",
    summary: (help) => help.story.summary,
    group: "inspect",
    load: async () => (await import("../demo/story/story.ts")).story,
  },
];

/** Breaks the sample project, and lets the finder find the change. */
export async function loadFindSample() {
  const { findSample, findInSample } = await import("../demo/sample/find-sample.ts");
  return { findSample, findInSample };
}

/** The sample project itself. */
export async function loadSampleProject() {
  const { makeSample } = await import("../demo/sample/project.ts");
  return { makeSample };
}
