import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { toSeq } from "../../../src/record/ids.ts";
import { Story } from "../../../src/testing/testing.ts";
import { folderOf, logOf } from "./damage.ts";
import { filesSubject } from "./files-subject.ts";

/** A session with a few entries on disk, whose files a test may corrupt. */
export async function writtenSession(options: {
  readonly prompts: readonly string[];
  readonly rotateBytes?: number;
}) {
  const { prompts, ...rest } = options;
  const subject = filesSubject(rest);
  // Cleans up even if the test fails early.
  onTestFinished(subject.remove);
  const story = new Story();
  await subject.store.create(story.begin());
  await subject.store.append(
    story.session,
    toSeq(2),
    prompts.map((text) => story.prompt(text)),
  );
  const log = logOf(subject.root, story.session);
  return {
    ...subject,
    story,
    session: story.session,
    log,
    folder: folderOf(subject.root, story.session),
    /** The log's lines, without their newlines. */
    lines: () => readFileSync(log, "utf8").split("\n").slice(0, -1),
    write: (lines: readonly string[]) => writeFileSync(log, lines.map((line) => `${line}\n`).join("")),
    add: (bytes: string | Uint8Array) => appendFileSync(log, bytes),
    /** Every readable entry, as another process sees it. */
    all: async () => subject.another().read(story.session, toSeq(1), toSeq(1_000_000)),
  };
}
