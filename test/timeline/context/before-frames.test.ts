import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { beforeFrames } from "./before-frames.ts";

/** Written by the last version before `frames`. */
const SENT = join(import.meta.dirname, "../../fixtures/contexts/before-frames.json");

it("is to the byte what was sent, in a session from before foreign text was quoted", () => {
  const story = beforeFrames();
  const contexts = [story.context(story.row(8)), story.context()];
  expect(`${JSON.stringify(contexts, null, 2)}\n`).toBe(readFileSync(SENT, "utf8"));
});
