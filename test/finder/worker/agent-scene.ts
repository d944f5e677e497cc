import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { makeSample } from "../../../demo/sample/project.ts";
import type { SampleWay } from "../../../demo/sample/ways.ts";
import { breakSample } from "../../../demo/sample/ways.ts";
import { defaultAgentSettings } from "../../../src/agent/agent-context.ts";
import { NativeAgent } from "../../../src/agent/native-agent.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { candidatesOf } from "../../../src/finder/worker/candidates.ts";
import { offlineWorker } from "../../../src/finder/worker/offline-worker.ts";
import { createSession, viewSession } from "../../../src/machine/open.ts";
import { openWorkspaceFiles } from "../../../src/open-files.ts";
import type { AgentEvent } from "../../../src/ports/agent-events.ts";
import type { PermissionMode } from "../../../src/ports/person.ts";
import { openFilesStore } from "../../../src/stores/files/files.ts";
import { tempFolder } from "../../../src/testing/temp-folder.ts";

export interface WorkerOptions {
  readonly mode?: PermissionMode;
  readonly backtrack?: "on" | "off";
}

/** Our own agent on a broken sample, with the offline worker as its model and everything else real. */
export async function workerOn(way: SampleWay, request: WorkerOptions = {}) {
  const root = tempFolder();
  onTestFinished(root.remove);
  const [home, workspace] = [join(root.path, "home"), join(root.path, "workspace")];
  mkdirSync(workspace);
  makeSample(workspace);
  const files = await openWorkspaceFiles({ workspace, home, threads: "none" });
  const deps = { store: openFilesStore({ root: home, clock: systemClock }), clock: systemClock, files };
  const broken = await createSession(deps, { workspace }, { name: "a test" });
  await breakSample(broken, way);
  await broken.close();
  const session = await createSession(
    deps,
    { workspace, backtrack: request.backtrack ?? "on" },
    { name: "a test" },
  );
  const views = [await viewSession(deps.store, broken.id)];
  const worker = offlineWorker({ candidates: async () => candidatesOf({ files, views, now: Date.now() }) });
  const agent = new NativeAgent({
    session,
    resumed: "new",
    model: worker,
    person: {
      allow: async () => ({ answer: "no", reason: "nobody is there" }),
      answer: async () => undefined,
      approve: async () => ({ answer: "no", reason: "nobody is there" }),
    },
    rules: { allow: [], ask: [], deny: [] },
    settings: defaultAgentSettings,
    clock: systemClock,
    environment: { PATH: process.env["PATH"], HOME: home, SAMPLE_RUNS: join(root.path, "runs") },
    fetch,
    secretVariables: [],
    outputs: home,
    keepOutput: async () => "",
    priceOf: () => undefined,
    mode: request.mode ?? "auto",
    files,
    openSubSession: async (wanted) => createSession(deps, { ...wanted, workspace }, { name: "a test" }),
  });
  const events: AgentEvent[] = [];
  agent.on((event) => events.push(event));
  onTestFinished(async () => {
    await agent.close();
    await files.close();
  });
  return {
    agent,
    session,
    workspace,
    events,
    read: (path: string) => readFileSync(join(workspace, path), "utf8"),
  };
}
