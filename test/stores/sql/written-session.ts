import type { LogStore } from "../../../src/ports/log-store.ts";
import { toSeq } from "../../../src/record/ids.ts";
import { Story } from "../../../src/testing/testing.ts";

/** A session with a prompt, a reply and a blob. */
export async function writtenSession(store: LogStore): Promise<Story> {
  const story = new Story();
  await store.create(story.begin());
  await store.append(story.session, toSeq(2), [story.prompt("find the leak"), story.reply("In pool.ts.")]);
  await store.putBlob(story.session, Buffer.from("a blob"));
  return story;
}
