import { appendFileSync, existsSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openExecution } from "../../../src/open-execution.ts";

// Runs as its own process: six steps, each with an effect that can be counted. "dying": step 3 kills the
// program right after its effect, before its end can be recorded. "stopping": it is killed between steps 2
// and 3.
const [, , folder = "", store = "files", mode = ""] = process.argv;
const effects = `${folder}/effects`;

function isDone(index: number): boolean {
  return existsSync(effects) && readFileSync(effects, "utf8").split("\n").includes(String(index));
}

const execution = await openExecution("killed", { home: `${folder}/home`, workspace: folder, store });
writeSync(1, "opened\n");
for (const index of [0, 1, 2, 3, 4, 5]) {
  await execution.step(
    `step-${index}`,
    async () => {
      await sleep(3);
      appendFileSync(effects, `${index}\n`);
      if (mode === "dying" && index === 3) process.kill(process.pid, "SIGKILL");
      await sleep(3);
      return { index, at: new Date(0) };
    },
    {
      unfinished: ({ checkpoint }) => {
        appendFileSync(`${folder}/reported`, `${checkpoint.index}\n`);
        return isDone(checkpoint.index) ? { skip: { index: checkpoint.index } } : "retry";
      },
    },
  );
  if (mode === "stopping" && index === 2) process.kill(process.pid, "SIGKILL");
}
await execution.finish();
writeFileSync(`${folder}/ended`, "");
