import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { withTempDir } from "../../temp-dir.mjs";
import { fromSource } from "./from-source.mjs";

const entry = `
export { NativeAgent } from "./src/agent/agent.ts";
export { defaultAgentSettings } from "./src/agent/agent-context.ts";
export { systemClock } from "./src/disk/system-clock.ts";
export { breakSample } from "./demo/sample/ways.ts";
export { makeSample } from "./demo/sample/project.ts";
export { sampleWays } from "./demo/sample/ways.ts";
export { candidatesOf } from "./src/finder/worker/candidates.ts";
export { offlineWorker } from "./src/finder/worker/offline-worker.ts";
export { createSession, viewSession } from "./src/machine/open.ts";
export { openWorkspaceFiles } from "./src/open-files.ts";
export { openFilesStore } from "./src/stores/files/files.ts";
`;

const no = async () => ({ answer: "no", reason: "nobody is there" });
const nobody = { allow: no, answer: async () => undefined, approve: no };

/**
 * Measures runs with unscripted dead ends: the finder, as a model in the real loop with real tools, searches
 * for the change that broke the sample project's test, and backtracks after each wrong guess.
 */
export async function finderRows() {
  const source = await fromSource(entry);
  const rows = [];
  for (const way of source.sampleWays) {
    const row = await withTempDir((root) => search(source, way, root));
    if (row.backtracks > 0) rows.push(row);
  }
  return rows;
}

async function search(source, way, root) {
  const [home, workspace] = [join(root, "home"), join(root, "workspace")];
  mkdirSync(workspace);
  source.makeSample(workspace);
  const clock = source.systemClock;
  const files = await source.openWorkspaceFiles({ workspace, home, threads: "none" });
  const store = source.openFilesStore({ root: home, clock });
  const deps = { store, clock, files };
  const holding = { name: "bench" };
  const broken = await source.createSession(deps, { workspace }, holding);
  await source.breakSample(broken, way);
  await broken.close();
  const session = await source.createSession(deps, { workspace, backtrack: "on" }, holding);
  const views = [await source.viewSession(store, broken.id)];
  const worker = source.offlineWorker({
    candidates: async () => source.candidatesOf({ files, views, now: Date.now() }),
  });
  const agent = new source.NativeAgent({
    session,
    resumed: "new",
    common: {
      model: () => worker,
      person: nobody,
      rules: { allow: [], ask: [], deny: [] },
      settings: source.defaultAgentSettings,
      clock,
      environment: { PATH: process.env["PATH"], HOME: home, SAMPLE_RUNS: join(root, "runs") },
      fetch,
      keepOutput: async () => "",
      priceOf: () => undefined,
    },
    mode: "auto",
    files,
    openSubSession: async (wanted) => source.createSession(deps, { ...wanted, workspace }, holding),
  });
  const cards = [];
  agent.on((event) => {
    if (event.type === "backtrack") cards.push(event);
  });
  try {
    const { answer } = await agent.prompt("find what broke: node test.mjs");
    const left = cards.reduce((sum, { tokens }) => sum + tokens, 0);
    const context = session.tokenCount;
    return { way: way.name, answer: answer.split(":")[0], backtracks: cards.length, context, left };
  } finally {
    await agent.close();
    await files.close();
  }
}
