import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { threadId } from "node:worker_threads";

// Loaded before the measured program, in each of its threads; V8 counts calls from this point on. Whenever the
// file `request` next to this file holds a new number, the functions called since the previous answer are
// written to a file.
const folder = dirname(fileURLToPath(import.meta.url));
const bundle = pathToFileURL(join(folder, "program")).href;
const pollMs = 20;

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

let answered = "0";

/** @param {string} name @param {string} text */
function writeWhole(name, text) {
  const file = join(folder, name);
  writeFileSync(`${file}.part`, text);
  renameSync(`${file}.part`, file);
}

function answer() {
  const request = join(folder, "request");
  const number = existsSync(request) ? readFileSync(request, "utf8") : "0";
  if (number === answered) return;
  answered = number;
  // Within one thread, the inspector answers before `post` returns.
  session.post("Profiler.takePreciseCoverage", (error, taken) => {
    if (error !== null) throw error;
    const scripts = taken.result.filter(({ url }) => url.startsWith(bundle));
    writeWhole(`answer-${number}-${threadId}.json`, JSON.stringify(scripts));
  });
}

writeWhole(`thread-${threadId}`, "");
setInterval(answer, pollMs).unref();
