import { driverAt } from "../contenders.mjs";
import { answerTask } from "../in-child.mjs";
import { digest, peakMb, timed } from "../measure.mjs";

/** Opens the session and builds the request for the model, after which the first prompt can be sent. */
await answerTask(async ({ url, dir, tail }) => {
  const driver = await driverAt(url);
  const startMb = peakMb();
  const opened = await timed(() => driver.resume(dir));
  const ready = opened.result;
  const built = await timed(() => ready.context());
  const peak = peakMb();
  const context = built.result;
  await ready.close();
  return {
    openMs: opened.ms,
    ms: opened.ms + built.ms,
    cpuMs: opened.cpuMs + built.cpuMs,
    peakMb: peak,
    startMb,
    messages: context.length,
    tail: digest(context.slice(-tail).map(driver.textOf)),
  };
});
