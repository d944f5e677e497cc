import { expect, it } from "vitest";
import type { EntryId } from "../../../../src/record/ids.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { type ClaudeStage, claudeStage } from "../support/claude-stage.ts";
import { hostSession, lastShown, markers, messageLines, obliging, sdkSessions } from "../support/wire.ts";

const ONE = ["> one", "on one"];
const TWO = ["> $ echo 2 > two.txt | echo 3 > three.txt"];
const CALLS = ["Bash(echo 2 > two.txt)", "Bash(echo 3 > three.txt)"];
const RESULTS = ["= (Bash completed with no output)", "= (Bash completed with no output)"];
const THREE = ["> three", "on three"];
const UP_TO_THREE = [...ONE, ...TWO, ...CALLS, ...RESULTS, "done"];

/** Checkpoints: 1 one, 3 two, 6 three; the steps of two are 4 and 5. */
async function threePrompts(): Promise<ClaudeStage> {
  const stage = await claudeStage({ responder: obliging });
  for (const words of ["one", "$ echo 2 > two.txt | echo 3 > three.txt", "three"]) {
    await stage.agent.prompt(words);
  }
  return stage;
}

function changed(told: string, how: "Created on" | "Removed from", ...paths: readonly string[]): string {
  return `[${told} What you know about these files may be out of date; read them again before you rely on it.\n\n${how} disk:${paths.map((path) => `\n- "${path}"`).join("")}]`;
}

const STAYED =
  '[The files were not rewound with the conversation. These files differ from how they were at this point:\n- "three.txt"\n- "two.txt"]';
const took = (to: number): string => `The user rewound files to checkpoint ${to}.`;

describeWithClaude("what the model is shown", () => {
  it("is what was kept, wherever the user goes back to, and all of it again after a redo", async () => {
    const stage = await threePrompts();
    const { agent, session } = stage;
    const first = await hostSession(stage);
    const messages = messageLines(first);

    await session.rewind(6);
    await agent.prompt("instead");
    expect(lastShown(stage)).toEqual([...UP_TO_THREE, "> instead"]);
    const second = await hostSession(stage);
    expect([...sdkSessions().keys()].sort()).toEqual([first, second].sort());

    await session.rewind(5);
    await agent.prompt("behind the calls");
    expect(lastShown(stage)).toEqual([
      ...ONE,
      ...TWO,
      ...CALLS,
      ...RESULTS,
      "[Checkpoint 5]",
      "> behind the calls",
    ]);

    await session.rewind(4);
    await agent.prompt("before the calls");
    expect(lastShown(stage)).toEqual([...ONE, ...TWO, "[Checkpoint 4]", STAYED, "> before the calls"]);
    expect(markers(stage)).toEqual([2, 13, 4]);

    await session.rewind(1);
    await agent.prompt("anew");
    expect(lastShown(stage)).toEqual([STAYED, "> anew"]);

    expect(messageLines(first)).toEqual(messages);
    expect(sdkSessions().size).toBe(5);

    const [journey] = await session.journeys();
    await session.redo(journey?.entry.id as EntryId);
    await agent.prompt("as it was");
    expect(lastShown(stage)).toEqual([...UP_TO_THREE, ...THREE, "> as it was"]);
    expect(await hostSession(stage)).toBe(first);
  });

  it("says which files went back with it, and which alone", async () => {
    const stage = await threePrompts();
    const { agent, session } = stage;
    const first = await hostSession(stage);
    await session.rewind({ to: 3, scope: "files" });
    await agent.prompt("four");
    const files = changed(took(3), "Removed from", "three.txt", "two.txt");
    expect(lastShown(stage)).toEqual([...UP_TO_THREE, ...THREE, files, "> four"]);
    expect([...sdkSessions().keys()]).toEqual([first]);

    const { journey } = await session.rewind({ to: 6, scope: "both" });
    expect([stage.read("two.txt"), stage.read("three.txt")]).toEqual(["2\n", "3\n"]);
    await agent.prompt("five");
    const back = changed(took(6), "Created on", "three.txt", "two.txt");
    expect(lastShown(stage)).toEqual([...UP_TO_THREE, back, "> five"]);

    await session.redo(journey);
    expect(() => stage.read("two.txt")).toThrow();
    await agent.prompt("six");
    const redone = changed(
      "The user undid an earlier rewind or backtrack, which also changed files.",
      "Removed from",
      "three.txt",
      "two.txt",
    );
    expect(lastShown(stage)).toEqual([...UP_TO_THREE, ...THREE, files, "> four", "on four", redone, "> six"]);
  });

  it("is the same after two journeys in a row, and after words in between", async () => {
    const stage = await threePrompts();
    const { agent, session } = stage;
    await session.rewind(6);
    await session.rewind(3);
    await session.redo();
    await session.redo();
    await agent.prompt("four");
    expect(lastShown(stage)).toEqual([...UP_TO_THREE, ...THREE, "> four"]);
    expect(sdkSessions().size).toBe(1);
    const { journey: first } = await session.rewind(6);
    const { journey: second } = await session.rewind(3);
    await agent.prompt("left");
    expect(lastShown(stage)).toEqual([...ONE, STAYED, "> left"]);
    await session.redo(second);
    await agent.prompt("right");
    expect(lastShown(stage)).toEqual([...UP_TO_THREE, "> right"]);
    await session.redo(first);
    await agent.prompt("five");
    expect(lastShown(stage)).toEqual([...UP_TO_THREE, ...THREE, "> four", "on four", "> five"]);
  });
});

describeWithClaude("what the model is shown after a restart", () => {
  it("is all of it, in the same session of the SDK", async () => {
    const stage = await threePrompts();
    const first = await hostSession(stage);
    const again = await stage.again();
    await again.agent.prompt("four");
    expect(lastShown(stage)).toEqual([...UP_TO_THREE, ...THREE, "> four"]);
    expect([...sdkSessions().keys()]).toEqual([first]);
    expect(await hostSession(again)).toBe(first);
  });

  it("is what was kept, and the SDK's sessions stay as they were to the byte", async () => {
    const one = await (await threePrompts()).again();
    const before = sdkSessions();
    const { journey } = await one.session.rewind(5);
    await one.agent.prompt("left");
    expect(lastShown(one)).toEqual([...ONE, ...TWO, ...CALLS, ...RESULTS, "[Checkpoint 5]", "> left"]);
    const left = await hostSession(one);

    const two = await one.again();
    const meanwhile = sdkSessions();
    expect(meanwhile).toEqual(new Map([...before, [left, meanwhile.get(left)]]));
    await two.session.redo(journey);
    await two.agent.prompt("four");
    expect(lastShown(two)).toEqual([...UP_TO_THREE, ...THREE, "> four"]);

    const three = await two.again();
    await three.session.rewind({ to: 1, scope: "both" });
    await three.agent.prompt("anew");
    expect(lastShown(three)).toEqual([changed(took(1), "Removed from", "three.txt", "two.txt"), "> anew"]);
    expect(sdkSessions().get(left)).toEqual(meanwhile.get(left));
  });
});
