import { expect, it } from "vitest";
import { forkSession } from "../../../../src/machine/journeys/fork.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { nativeTurns } from "../support/native-turns.ts";
import { hostSession, lastShown, obliging, sdkSessions } from "../support/wire.ts";
import { ours, recorded, told } from "./support.ts";

const NATIVE = 'reply by "anthropic/scripted-model"';
const NOTHING = "(Bash completed with no output)";

describeWithClaude("two agents in one session", () => {
  it("are told everything that the other did, and go back past it", async () => {
    const one = await claudeStage({ responder: obliging });
    await nativeTurns(one, async (agent) => {
      await agent.prompt("one");
    });
    const two = await one.again();
    await two.agent.prompt("$ echo 2 > two.txt");
    const first = recorded("all", told("person", "one"), ours("Checkpoint 2"), told(NATIVE, "on one"));
    const second = ["> $ echo 2 > two.txt", "Bash(echo 2 > two.txt)", `= ${NOTHING}`, "done"];
    expect(lastShown(two)).toEqual([first, ...second.slice(0, 3)]);

    await nativeTurns(two, async (agent) => {
      await agent.prompt("$ echo 3 > three.txt");
    });
    const [prompt = "", ...done] = second;
    const natively = ["> one", "[Checkpoint 2]", "on one", prompt, "[Checkpoint 4]", ...done];
    const third = ["> $ echo 3 > three.txt", "[Checkpoint 7]", "Bash(echo 3 > three.txt)"];
    expect(lastShown(two).slice(0, -1)).toEqual([...natively, ...third]);

    const three = await two.again();
    const { agent, session } = three;
    await agent.prompt("four");
    const [behind, ...four] = lastShown(three).slice(1 + second.length);
    expect(lastShown(three).slice(0, 1 + second.length)).toEqual([first, ...second]);
    expect(behind).toMatch(
      /<person>\n\$ echo 3 > three\.txt\n<\/person>[\s\S]*<call of "Bash">[\s\S]*<result of "Bash", ok>[\s\S]*done/u,
    );
    expect(four).toEqual(["> four"]);
    const numbers = session.outline
      .rows()
      .flatMap(({ kind, number }) => (kind === "checkpoint" ? number : []));
    expect(numbers).toEqual([1, 3, 6, 9]);

    const { journey } = await session.rewind({ to: 6, scope: "both" });
    expect(() => three.read("three.txt")).toThrow();
    await agent.prompt("five");
    expect(lastShown(three).slice(0, 1 + second.length)).toEqual([first, ...second]);
    expect(lastShown(three).slice(1 + second.length)).toEqual([took(6, "three.txt"), "> five"]);
    await session.redo(journey);
    expect(three.read("three.txt")).toBe("3\n");

    await nativeTurns(three, async (native, held) => {
      await held.rewind({ to: 3, scope: "both" });
      await native.prompt("six");
    });
    expect(lastShown(three).slice(0, 5)).toEqual([
      "> one",
      "[Checkpoint 2]",
      "on one",
      took(3, "three.txt", "two.txt"),
      "> six",
    ]);
  });
});

function took(to: number, ...paths: readonly string[]): string {
  const list = paths.map((path) => `\n- "${path}"`).join("");
  return `[The user rewound files to checkpoint ${to}. What you know about these files may be out of date; read them again before you rely on it.\n\nRemoved from disk:${list}]`;
}

describeWithClaude("a fork of a session", () => {
  it("continues in its own session of the SDK, and so does its source", async () => {
    const source = await claudeStage({ responder: obliging });
    await source.agent.prompt("one");
    await source.agent.prompt("two");
    const first = await hostSession(source);
    const fork = await forkSession(source.deps, source.session);
    const early = await forkSession(source.deps, source.session, { at: 3 });
    const forked = await source.again(fork);
    const before = sdkSessions();
    await forked.agent.prompt("left");
    expect(lastShown(forked)).toEqual(["> one", "on one", "> two", "on two", "> left"]);
    const left = await hostSession(forked);
    expect(left).not.toBe(first);
    expect(sdkSessions().get(first)).toBe(before.get(first));

    const again = await forked.again(source.session.id);
    await again.agent.prompt("right");
    expect(lastShown(again)).toEqual(["> one", "on one", "> two", "on two", "> right"]);
    expect(await hostSession(again)).toBe(first);
    const other = await again.again(early);
    await other.agent.prompt("early");
    expect(lastShown(other)).toEqual(["> one", "on one", "> early"]);
    const back = await other.again(fork);
    await back.agent.prompt("more");
    expect(lastShown(back)).toEqual(["> one", "on one", "> two", "on two", "> left", "on left", "> more"]);
    expect(await hostSession(back)).toBe(left);
  });

  it("is as its source was, although that was compacted since", async () => {
    const source = await claudeStage({
      responder: async (request, index) =>
        request.messages.at(-1)?.text.includes("CRITICAL") === true
          ? { text: "<summary>In short.</summary>" }
          : obliging(request, index),
    });
    for (const words of ["one", "two", "three", "four"]) await source.agent.prompt(words);
    const fork = await forkSession(source.deps, source.session);
    await source.agent.compact();
    const forked = await source.again(fork);
    await forked.agent.prompt("five");
    const said = ["one", "two", "three", "four"].flatMap((words) => [`> ${words}`, `on ${words}`]);
    expect(lastShown(forked)).toEqual([...said, "> five"]);
  });
});
