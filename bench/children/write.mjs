import { driverAt } from "../contenders.mjs";
import { answerTask } from "../in-child.mjs";
import { conversation } from "../messages.mjs";
import { writeSession } from "../write-session.mjs";

await answerTask(async ({ url, dir, spec, marks }) =>
  writeSession(await driverAt(url), { dir, messages: conversation(spec), marks }),
);
