import { mkdirSync, writeFileSync, readFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { it } from "vitest";
import { openModelServer } from "../../../src/testing/model-server/model-server.ts";
import { inTempFolder } from "../../../src/testing/testing.ts";
import { claudeEnvironment } from "../../support/claude/claude-place.ts";
import { claudeSdkFolder } from "../../support/claude/describe-with-claude.ts";
import { startChild } from "../children/child.ts";
import { bundleClaudeChild } from "./children/bundle.ts";
import { makeClaudeSession } from "./crash-claude.ts";

function marked(mark: string): string[] {
  return readdirSync("/proc").filter((n) => /^\d+$/.test(n)).flatMap((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark)) return [];
      return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0").join(" ").slice(0, 60)}`];
    } catch { return []; }
  });
}

it.each([["long", "echo a >> $RUNS; sleep 2; echo b >> $RUNS; sleep 6; echo c >> $RUNS"], ["short", "echo a >> $RUNS; sleep 0.7; echo b >> $RUNS"]])("probe %s", async (_n, command) => {
  await inTempFolder(async (folder) => {
    const program = await bundleClaudeChild(folder);
    const workspace = join(folder, "workspace");
    mkdirSync(workspace);
    writeFileSync(join(workspace, "a.txt"), "a\n");
    const server = await openModelServer((_r, i) => i === 0 ? { calls: [{ name: "Bash", input: { command, description: "x" } }] } : { calls: [{ name: "Bash", input: { command: "echo NEXT >> $RUNS", description: "x" } }] });
    const runs = join(folder, "runs.txt");
    const environment = { ...claudeEnvironment(server, folder), RUNS: runs };
    const place = { sdk: claudeSdkFolder(), home: join(folder, "worldline"), workspace, environment };
    const session = await makeClaudeSession(place);
    const child = startChild(program, [JSON.stringify({ place, session, dieAt: 0 })]);
    while (!existsSync(runs)) await sleep(20);
    const killed = performance.now();
    await child.kill();
    for (let i = 0; i < 60; i += 1) {
      const left = marked(runs);
      console.log(Math.round(performance.now() - killed), JSON.stringify(left), JSON.stringify(readFileSync(runs, "utf8")), server.requests.length);
      if (left.length === 0) break;
      await sleep(i < 10 ? 50 : 500);
    }
    await server.close();
  });
});
