import type { CommandEntry } from "./cli/command.ts";

/**
 * Commands that demonstrate Worldline with sample data. Only this file imports demo/, and it loads each part on demand,
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

/** Loads the demonstration that breaks the sample project and lets the finder locate the change that did it. */
export async function loadFindSample() {
  const { findSample, findInSample } = await import("../demo/sample/find-sample.ts");
  return { findSample, findInSample };
}

/** Loads the function that creates the sample project. */
export async function loadSampleProject() {
  const { makeSample } = await import("../demo/sample/project.ts");
  return { makeSample };
}
