import { driverAt } from "../contenders.mjs";
import { answerTask } from "../in-child.mjs";

/** Appends a session's first prompt and exits immediately, like a crash before the model's first reply. */
await answerTask(async ({ url, dir, prompt }) => {
  const ready = await (await driverAt(url)).create(dir);
  await ready.append(prompt);
  process.kill(process.pid, "SIGKILL");
});
