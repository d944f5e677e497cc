// Loads the demonstrations, which use sample data to show what Worldline does. Only this file imports demo/. This file
// loads each part on demand, because the rest of src/ does not need demo/.

export type { ProveOptions } from "../demo/prove/prove.ts";
export type { FindSampleOptions } from "../demo/sample/find-sample.ts";

/** Loads the demonstration that damages a folder in many ways and restores it. */
export async function loadProve() {
  const [{ proveFolder }, { proofDocument, proofText }] = await Promise.all([
    import("../demo/prove/prove.ts"),
    import("../demo/prove/proof-text.ts"),
  ]);
  return { proveFolder, proofDocument, proofText };
}

/** Loads the scripted conversation. */
export async function loadStory() {
  const { playStory, storyText } = await import("../demo/story/story.ts");
  return { playStory, storyText };
}

/** Loads the demonstration that breaks the sample project and lets the finder locate the breaking change. */
export async function loadFindSample() {
  const [{ findSample, findInSample }, { sampleDocument, sampleText }] = await Promise.all([
    import("../demo/sample/find-sample.ts"),
    import("../demo/sample/sample-text.ts"),
  ]);
  return { findSample, findInSample, sampleDocument, sampleText };
}

/** Loads the function that creates the sample project. */
export async function loadSampleProject() {
  const { makeSample } = await import("../demo/sample/project.ts");
  return { makeSample };
}
