import { describe, expect, it } from "vitest";
import { Outline } from "../../../src/timeline/outline.ts";
import { contextTokens, unseenTokens } from "../../../src/timeline/token-count.ts";
import { type Told, tell } from "../../story.ts";

/** The session's system prompt is estimated at 5 tokens, and every message at 4 tokens more than its text. */
const SYSTEM = 5;
const MESSAGE = 4;

/** The text of a message that is estimated at `tokens` tokens. */
function words(tokens: number): string {
  return Array.from({ length: tokens - MESSAGE }, () => "word").join(" ");
}

/** The size of the context at the end of the session. */
const sizeOf = ({ outline }: Told): number => contextTokens(outline, outline.head);

/** The session with a compaction at the end, whose kept entries and summary are estimated at `kept` tokens. */
function compacted(told: Told, kept: number): Told {
  told.add("compact 2 in short");
  const last = told.entries.length;
  const after = told.without(last);
  const outline = new Outline();
  for (const entry of told.entries) outline.add(entry.kind === "compaction" ? { ...entry, kept } : entry);
  return Object.assign(after, { outline, entries: told.entries });
}

describe("the size of a context", () => {
  it("is nothing before the first entry", () => {
    expect(contextTokens(new Outline(), undefined)).toBe(0);
  });

  it("is the sum of the estimates while the provider has counted nothing", () => {
    expect(sizeOf(tell(`prompt ${words(100)}`, `reply ${words(50)}`))).toBe(SYSTEM + 150);
  });

  it("is the provider's count of the last reply, plus the estimates of what came after it", () => {
    const story = tell("prompt a", "counted 1000+50 done");
    expect(sizeOf(story)).toBe(1050);
    story.add(`prompt ${words(100)}`);
    story.add(`reply ${words(50)}`);
    expect(sizeOf(story)).toBe(1200);
  });

  it("starts again from the estimate of a compaction", () => {
    const story = compacted(tell("prompt a", "counted 1000+50 done"), 300);
    story.add(`prompt ${words(100)}`);
    expect(sizeOf(story)).toBe(unseenTokens(story.outline) + 400);
  });
});

describe("the tokens that no entry accounts for", () => {
  it("are unknown while the provider has counted nothing", () => {
    expect(unseenTokens(tell("prompt a", "reply b").outline)).toBe(0);
  });

  it("are what the provider counted for the first counted reply, beyond the estimates", () => {
    const story = tell(
      `prompt ${words(100)}`,
      `reply ${words(50)}`,
      "counted 1000+50 done",
      "counted 1005+50 x",
    );
    expect(unseenTokens(story.outline)).toBe(1000 - (SYSTEM + 150));
  });

  it("are what the provider counted beyond the estimate of a compaction", () => {
    const story = compacted(tell("prompt a"), 300);
    story.add(`prompt ${words(100)}`);
    story.add("counted 1000+50 done");
    expect(unseenTokens(story.outline)).toBe(600);
  });

  it("are none if the provider counted less than the estimates", () => {
    expect(unseenTokens(tell(`prompt ${words(100)}`, "counted 50+10 done").outline)).toBe(0);
  });

  it("are part of the size after going back to before the first counted reply", () => {
    const story = tell("cp 1", `prompt ${words(100)}`, "counted 1000+50 done", "rewind 1");
    expect(sizeOf(story)).toBe(1000 - 100);
    expect(contextTokens(story.outline, undefined)).toBe(1000 - 100 - SYSTEM);
  });

  it("are not part of the size as of a line before the first counted reply", () => {
    const { outline } = tell("cp 1", `prompt ${words(100)}`, "counted 1000+50 done");
    expect(contextTokens(outline, outline.at(3), 3)).toBe(SYSTEM + 100);
    expect(contextTokens(outline, outline.at(3), 4)).toBe(1000);
  });

  it("are known even if the line with the system prompt is lost", () => {
    const damaged = tell(`prompt ${words(100)}`, "counted 1000+50 done", "counted 1005+50 x").without(1);
    expect(unseenTokens(damaged.outline)).toBe(900);
    expect(sizeOf(damaged)).toBe(1055);
  });
});

/** From the first count to the second, the context grows by 1000 tokens as estimated, and by 2000 as counted. */
const doubled = [
  "cp 1",
  `prompt ${words(100)}`,
  `counted 1000+50 ${words(50)}`,
  `prompt ${words(950)}`,
  `counted 3000+50 ${words(50)}`,
];
/** One growth of 1000 estimated tokens is weighed against 500 tokens with the factor 1. */
const DOUBLED = 2500 / 1500;

describe("a session's calibration", () => {
  it("comes from the growth between two counts on a branch", () => {
    expect(sizeOf(tell(...doubled, `prompt ${words(600)}`))).toBe(3050 + Math.round(600 * DOUBLED));
  });

  it("applies to the estimates on every branch, and to those that the first count includes", () => {
    const story = tell(...doubled, "rewind 1", `prompt ${words(600)}`);
    const unseen = 1000 - Math.round((SYSTEM + 100) * DOUBLED);
    expect(unseenTokens(story.outline)).toBe(unseen);
    expect(sizeOf(story)).toBe(unseen + Math.round((SYSTEM + 600) * DOUBLED));
  });

  it("ignores replies after the line that the size is asked for", () => {
    const { outline } = tell(...doubled, "rewind 1", `prompt ${words(600)}`);
    const prompt = outline.at(5);
    expect(contextTokens(outline, prompt, 5)).toBe(1050 + 950);
    expect(contextTokens(outline, prompt, 6)).toBe(1050 + Math.round(950 * DOUBLED));
  });

  it("ignores replies without a count, whose text is part of the growth", () => {
    const story = tell("prompt a", "counted 1000+50 x", `reply ${words(995)}`, "counted 3000+50 x");
    story.add(`prompt ${words(600)}`);
    expect(sizeOf(story)).toBe(3050 + Math.round(600 * DOUBLED));
  });

  it("ignores growth across a compaction", () => {
    const story = compacted(tell(...doubled), 300);
    story.add("counted 9000+50 x");
    story.add(`prompt ${words(600)}`);
    expect(sizeOf(story)).toBe(9050 + Math.round(600 * DOUBLED));
  });

  it("ignores a count that is lower than the one before it, and goes on from there", () => {
    const story = tell(...doubled, "counted 2000+50 x", `prompt ${words(600)}`);
    expect(sizeOf(story)).toBe(2050 + Math.round(600 * DOUBLED));
  });

  it("uses the newest eight counts, and does not take a reply without a count for one of them", () => {
    const story = tell("prompt a", `counted 1000+50 ${words(5)}`);
    let input = 1000;
    const grow = (estimated: number, counted: number): void => {
      story.add(`prompt ${words(estimated - 5)}`);
      input += counted;
      story.add(`counted ${input}+50 ${words(5)}`);
    };
    grow(4000, 6000);
    grow(1000, 750);
    for (let times = 0; times < 7; times += 1) grow(1000, 1000);
    story.add(`reply ${words(1000)}`);
    story.add(`prompt ${words(9000)}`);
    const factor = (500 + 750 + 7 * 1000) / (500 + 8 * 1000);
    expect(sizeOf(story)).toBe(input + 50 + Math.round(10_000 * factor));
  });
});
