import { describe, expect, it } from "vitest";
import { leftPart } from "../../../src/machine/queries/left-behind.ts";
import type { AgentEvent } from "../../../src/ports/agent-events.ts";
import { scripted } from "../../../src/testing/model-server/script.ts";
import { branchOf } from "../../../src/timeline/outline.ts";
import { fillLeft, initialTranscript, unfilled } from "../../../src/tui/transcript/apply-entry.ts";
import { applyEvent } from "../../../src/tui/transcript/apply-event.ts";
import type { Block } from "../../../src/tui/transcript/block.ts";
import { EMPTY_TRANSCRIPT, type Transcript } from "../../../src/tui/transcript/transcript.ts";
import { type Stage, stage } from "../../agent/support/stage.ts";

function heard(events: readonly AgentEvent[]): Transcript {
  return events.reduce((transcript, event) => applyEvent(transcript, event, { now: 0 }), EMPTY_TRANSCRIPT);
}

async function readAgain({ session }: Stage): Promise<readonly Block[]> {
  const rows = branchOf(session.outline, session.outline.head);
  let read = initialTranscript(await session.entries(rows.map(({ seq }) => seq)), "no");
  for (const wanted of unfilled(read, read.settled)) {
    if (wanted.what !== "left") continue;
    read = fillLeft(read, wanted.key, await leftPart(session, wanted.journey));
  }
  return read.settled;
}

/** Removes what a screen looks up only when it reads the session again. */
function lookedUp(blocks: readonly Block[]): readonly Block[] {
  return blocks.map((block) => {
    if (block.kind === "files") return { ...block, files: undefined, more: 0 };
    return block.kind === "card" ? { ...block, left: undefined } : block;
  });
}

describe("the conversation with a real agent", () => {
  it("is shown live as it is shown when it is read again", async () => {
    const set = await stage({
      responder: scripted(
        { text: "I look.", calls: [{ name: "Read", input: { file_path: "a.txt" } }] },
        { calls: [{ name: "Backtrack", input: { checkpoint_id: 2, note: "a.txt says **hello**" } }] },
        {
          thinking: "now",
          text: "I write.",
          calls: [
            { name: "Write", input: { file_path: "b.txt", content: "one\ntwo\n" } },
            { name: "Bash", input: { command: "echo printed; cat b.txt" } },
          ],
        },
        { calls: [{ name: "Edit", input: { file_path: "gone.txt", old_string: "a", new_string: "b" } }] },
        { text: "Done." },
        { text: "Nothing." },
      ),
    });
    set.write("a.txt", "hello\n");
    await set.agent.prompt("write it");
    await set.agent.prompt("and now?");
    const live = heard(set.events);
    expect(lookedUp(live.settled)).toEqual(lookedUp(await readAgain(set)));
    expect([live.live, live.running.size, live.turn]).toEqual([[], 0, "none"]);
    expect(live.settled.map(({ kind }) => kind)).toEqual([
      "prompt",
      "left",
      "left-item",
      "left-item",
      "card",
      "thinking",
      "text",
      "call",
      "call",
      "call",
      "text",
      "files",
      "prompt",
      "text",
      "files",
    ]);
    expect(live.settled.filter(({ kind }) => kind === "files")).toMatchObject([
      { files: [{ path: "b.txt", change: "created", added: 2 }] },
      { files: [] },
    ]);
    expect(live.settled[4]).toMatchObject({ to: 2, left: { prompt: "write it" } });
  });

  it("tells the files of each turn below it, where the agent went back to before what it was asked", async () => {
    const write = (file_path: string) => ({
      calls: [{ name: "Write", input: { file_path, content: "1\n" } }],
    });
    const set = await stage({
      responder: scripted(
        write("a.txt"),
        { text: "One." },
        { calls: [{ name: "Backtrack", input: { checkpoint_id: 3, note: "known" } }] },
        write("b.txt"),
        { text: "Two." },
      ),
    });
    await set.agent.prompt("first");
    await set.agent.prompt("second");
    const live = heard(set.events);
    const again = await readAgain(set);
    expect(lookedUp(live.settled)).toEqual(lookedUp(again));
    const paths = live.settled.map((block) =>
      block.kind === "files" ? block.files?.map(({ path }) => path).join() : block.kind,
    );
    const left = ["left", "left-item", "left-item"];
    expect(paths).toEqual(["prompt", "call", "a.txt", ...left, "card", "call", "text", "b.txt"]);
  });
});
