/** The files of a project that uses the package the way its users would. */
export const consumerFiles: Readonly<Record<string, string>> = {
  "types.ts": `
import { type AgentEvent, isWorldlineError, openAgent, openExecution, openSession, openStore, type Session, WorldlineError } from "worldline";
import { logStoreContract, type ModelServer, openModelServer, scripted } from "worldline/testing";

export async function work(): Promise<string> {
  const session: Session = await openSession({ files: "on", store: openStore("files") });
  const checkpoint: number = await session.checkpoint("here");
  const { files } = await session.rewind({ to: checkpoint, scope: "files" });
  await session.close();
  const execution = await openExecution("one");
  const prices: Map<string, number> = await execution.step("fetch", async () => new Map([["tea", 3]]));
  return [files.restored, prices.get("tea")].join();
}

export async function agent(): Promise<string> {
  const opened = await openAgent({
    permission: ({ tool }) => (tool === "Edit" ? { answer: "once" } : { answer: "no", reason: "Edits only." }),
    onEvent: (event: AgentEvent) => void event.type,
    onNotice: ({ code, message }) => console.log(code, message),
  });
  const { outcome } = await opened.prompt("Go.", { signal: AbortSignal.timeout(1000) });
  const { files } = await opened.previewRewind(1, { scope: "files" });
  await opened.redo();
  await opened.close();
  return [outcome, files?.deletions].join();
}

export async function server(): Promise<ModelServer> {
  return openModelServer(scripted({ text: "hello" }));
}

export function codeOf(error: unknown): string | undefined {
  return isWorldlineError(error) ? error.code : new WorldlineError("INPUT_INVALID", "other").hint;
}

// @ts-expect-error -- This only compiles while the types are real, and not any.
export const wrong: number = openSession;
export const contract: typeof logStoreContract = logStoreContract;
`,
  "types.cts": `
import worldline = require("worldline");
import testing = require("worldline/testing");

export const open: typeof worldline.openSession = worldline.openSession;
export const wire: testing.Wire = "anthropic";
`,
  "tsconfig.nodenext.json": JSON.stringify({
    // No Node.js types: users who do not need them should not have to install them.
    compilerOptions: { ...strict(), module: "nodenext", types: [] },
    files: ["types.ts", "types.cts"],
  }),
  "use.mjs": `
import { writeFileSync } from "node:fs";
import { isWorldlineError, openSession } from "worldline";
import { SimulatedDisk } from "worldline/testing";

const [workspace, home] = process.argv.slice(2);
writeFileSync(workspace + "/a.txt", "before");
const session = await openSession({ workspace, home, files: "on" });
const checkpoint = await session.checkpoint("before");
writeFileSync(workspace + "/a.txt", "after");
const { files } = await session.rewind({ to: checkpoint, scope: "files", author: "timeline" });
await session.close();
const refused = await openSession({ workspace, home, files: "sometimes" }).catch((error) => error);
console.log(files.restored, isWorldlineError(refused), refused.code, typeof SimulatedDisk);
`,
  "use.cjs": `
const required = require("worldline");
const testing = require("worldline/testing");
import("worldline").then((imported) => {
  console.log(typeof required.openSession, required.openSession === imported.openSession, typeof testing.openModelServer);
});
`,
  "package.json": JSON.stringify({ name: "consumer", private: true, type: "module" }),
};

/** The strictest compiler options, which also check the declarations of libraries. */
export function strict() {
  return {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    target: "es2022",
    noEmit: true,
  };
}
