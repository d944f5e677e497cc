import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { performForget } from "../../../src/machine/forget/perform-forget.ts";
import { viewSession } from "../../../src/machine/open.ts";
import type { Entry } from "../../../src/record/entry.ts";
import { begin, type Event, events, filesPlace, holding, live, type Place } from "../exchange/support.ts";
import { filesWith } from "./raw-search.ts";

/**
 * Few letters, so that part of one text also occurs in others; none of them is used by the session's own
 * structure.
 */
const word = fc.string({ unit: fc.constantFrom("Ä", "Ö", "[", " "), minLength: 1, maxLength: 130 });

async function entriesOf(place: Place): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const id of await place.deps.store.list()) {
    for await (const entry of (await viewSession(place.deps.store, id)).all()) entries.push(entry);
  }
  return entries;
}

function textsIn(story: readonly Event[]): string[] {
  return story.flatMap((event) => ("text" in event ? [event.text] : []));
}

/** A part of what was written; undefined if it is too short to be forgotten. */
function chooseSecret(texts: readonly string[], choice: number): string | undefined {
  const from = texts[choice % Math.max(1, texts.length)] ?? "";
  const at = choice % Math.max(1, from.length);
  const secret = from.slice(at, at + 4 + (choice % 9));
  return secret.trim().length < 4 ? undefined : secret;
}

async function law(place: Place, stories: readonly (readonly Event[])[], choice: number): Promise<void> {
  for (const story of stories) await live(await begin(place.deps), story);
  const secret = chooseSecret(stories.flatMap(textsIn), choice);
  const before = await entriesOf(place);
  if (secret === undefined || !JSON.stringify(before).includes(secret)) return;
  await performForget(place.deps, { what: "text", text: secret }, holding);
  expect(filesWith(place.root ?? "", secret)).toEqual([]);
  const after = await entriesOf(place);
  expect(JSON.stringify(after)).not.toContain(secret);
  expect(after.map(({ seq, id, parent, kind }) => [seq, id, parent, kind])).toEqual(
    before.map(({ seq, id, parent, kind }) => [seq, id, parent, kind]),
  );
  for (const [index, entry] of after.entries()) {
    if (entry.forgotten === undefined) expect(entry).toEqual(before[index]);
  }
}

describe("forgetting", () => {
  it("law: whatever is forgotten is nowhere, and all else is as it was", async () => {
    const stories = fc.array(events(word), { minLength: 1, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(stories, fc.nat(10_000), async (told, choice) => {
        const place = filesPlace();
        try {
          await law(place, told, choice);
        } finally {
          await place.close();
        }
      }),
      { numRuns: 80 },
    );
  });
});
