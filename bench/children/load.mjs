import { readFileSync } from "node:fs";
import { driverAt } from "../contenders.mjs";
import { answerTask } from "../in-child.mjs";
import { peakMb, timed } from "../measure.mjs";

/** The minimum cost of loading a log on this machine: find line ends, decode, parse, and keep the result. */
function floor(file) {
  const bytes = readFileSync(file);
  const entries = [];
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    entries.push(JSON.parse(bytes.toString("utf8", start, end)));
    start = end + 1;
  }
  return entries.length;
}

await answerTask(async ({ url, dir, file }) => {
  const driver = url === undefined ? undefined : await driverAt(url);
  const { result, ms, cpuMs } = await timed(() => (driver === undefined ? floor(file) : driver.load(dir)));
  return { entries: result, ms, cpuMs, peakMb: peakMb() };
});
