import { it } from "vitest";
import { realDisk } from "../../../src/disk/real-disk.ts";
import { FailingDisk } from "../../../src/testing/testing.ts";
import { claudePlace } from "../../support/claude/claude-place.ts";
import { openCrashClaude } from "./crash-claude.ts";
import { makeClaudeRun } from "./killing.ts";
import { playStory } from "./story.ts";
it.each([23, 31])("z %i", { timeout: 100000 }, async (from) => {
  Error.stackTraceLimit = 60;
  const shared = claudePlace();
  const run = await makeClaudeRun(shared, `full-${from}`);
  const disk = new FailingDisk(realDisk);
  const opened = await openCrashClaude(run.place, run.session, disk);
  const out: string[] = [];
  let writes = 0; let t = 0;
  disk.faults = ({ name }) => {
    if (name === "write") writes += 1;
    if (name === "write" && writes >= from) { if (t === 0) t = performance.now(); out.push(`${Math.round(performance.now() - t)} FAULT ${new Error().stack?.split("\n").slice(3).map((l) => l.trim().replace(/.*src\//, "")).slice(0, 25).join(" < ")}`); return { errno: "ENOSPC", partial: 5 }; }
    return undefined;
  };
  opened.agent.on((e) => { if (e.type === "entry") out.push(`${t === 0 ? "" : Math.round(performance.now() - t)} entry ${e.entry.kind}`); else  if (t !== 0 || e.type === "sub-agent") out.push(`${t && Math.round(performance.now() - t)} ${JSON.stringify(e).slice(0, 250)}`); });
  console.log(from, await playStory(opened.agent));
  console.log(out.slice(-50).filter((l) => !l.includes("STORE_FULL")).join("\n"));
  disk.faults = () => undefined;
  await opened.close(); await run.server.close();
});
