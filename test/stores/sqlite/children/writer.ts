import { openStore } from "../../../../src/open-store.ts";
import { toSeq } from "../../../../src/record/ids.ts";
import { Story, sessionNumber } from "../../../../src/testing/testing.ts";

// Writes a session's lines `from` to `to`, creating the session at line 1. Exits normally, or is killed right
// after the last line is acknowledged.
const [, , address = "", home = "", number = "", from = "", to = "", end = ""] = process.argv;
const store = openStore(address, { home });
const story = new Story(sessionNumber(Number(number)));
const begin = story.begin();
if (from === "1") await store.create(begin);
for (let seq = 2; seq <= Number(to); seq += 1) {
  const entry = story.prompt(`line ${seq}`);
  if (seq >= Number(from)) await store.append(story.session, toSeq(seq), [entry]);
}
if (end === "killed") process.kill(process.pid, "SIGKILL");
await store.close();
