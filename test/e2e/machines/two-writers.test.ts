import { expect, it } from "vitest";
import { describeWithPostgres } from "../../support/postgres/postgres.ts";
import { type Answer, eventsIn, OUTPUT, ofKind, refusedOf } from "../agent/support.ts";
import { byPrompt, calls, hold } from "../terminal/support/replies.ts";
import { twoMachines } from "./support/two-machines.ts";

const WAITS = "echo begun; while [ ! -e go ]; do sleep 0.05; done; echo ran >> first.txt";
const LEASE_MS = 2_000;

describeWithPostgres("two machines with one session", () => {
  it("let one write, and the other continue in a copy at once, without mixing their content", async () => {
    const both = await twoMachines(
      byPrompt({
        "Count to three": [calls("Bash", { command: WAITS }), { text: "Three." }],
        "Count backwards": [calls("Write", { file_path: "back.txt", content: "3\n" }), { text: "Zero." }],
      }),
    );
    const { anna, bert } = both;
    const counting = anna.start(["-p", "Count to three", "--output-format", "stream-json"]);
    await counting.until("stdout", OUTPUT);
    const session = /"session":"([0-9a-z]{10})"/u.exec(counting.said.stdout)?.[1] ?? "";
    await bert.confirm(session);
    const refused = await bert.ask("Count backwards", "-r", session);
    expect(refused).toMatchObject({ code: 1, error: { code: "SESSION_HELD" } });
    expect(refused.error?.message).toContain(`(pid ${counting.child.pid} on anna, since `);
    expect(refused.error?.hint).toContain(`worldline -r ${session} --fork`);
    const copy = await bert.ask("Count backwards", "-r", session, "--fork");
    expect(copy).toMatchObject({ code: 0, answer: "Zero." });
    both.write("go", "");
    expect(await counting.ended).toBe(0);
    const [first, second] = [
      JSON.stringify(await anna.log(session)),
      JSON.stringify(await bert.log(copy.session)),
    ];
    expect([first.includes("Three."), first.includes("backwards")]).toEqual([true, false]);
    expect([second.includes("Zero."), second.includes("Three.")]).toEqual([true, false]);
    expect([refusedOf(both), both.leaks()]).toEqual([[], []]);
  });

  it("let the one that slept through its lease write nothing more, and run nothing more", async () => {
    const { held, letGo } = hold();
    const both = await twoMachines(
      byPrompt({
        "Do two things": [
          {
            calls: [
              { name: "Bash", input: { command: WAITS } },
              { name: "Bash", input: { command: "echo ran >> second.txt" } },
            ],
          },
          { text: "Both are done." },
        ],
        "Go on from here": [{ text: "Gone on.", hold: held }],
      }),
      { leaseMs: LEASE_MS },
    );
    const { anna, bert, server } = both;
    const asleep = anna.start(["-p", "Do two things", "--output-format", "stream-json"]);
    await asleep.until("stdout", OUTPUT);
    const session = /"session":"([0-9a-z]{10})"/u.exec(asleep.said.stdout)?.[1] ?? "";
    both.shareKey();
    asleep.child.kill("SIGSTOP");
    await both.leaseOver(session);
    const heir = bert.start(["-r", session, "-p", "Go on from here", "--output-format", "stream-json"]);
    await heir.until("stdout", '"type":"text"');
    both.write("go", "");
    asleep.child.kill("SIGCONT");
    expect(await asleep.ended).toBe(1);
    letGo();
    expect(await heir.ended).toBe(0);
    const end = eventsIn(asleep.said.stdout).at(-1);
    expect(end).toMatchObject({ type: "turn-end", outcome: "failed", error: { code: "SESSION_CLOSED" } });
    expect((end?.["error"] as Answer["error"])?.message).toMatch(
      new RegExp(
        `^Another program has written .* was taken over by worldline, an agent \\(pid ${heir.child.pid} on bert, since .*\\.$`,
        "u",
      ),
    );
    expect(both.read("second.txt")).toBeUndefined();
    expect(server.requests).toHaveLength(2);
    const log = await bert.log(session);
    expect(ofKind(log, "tool-start")).toHaveLength(1);
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
    expect(ofKind(log, "reply").at(-1)).toMatchObject({ parts: [{ text: "Gone on." }] });
    expect([refusedOf(both), both.leaks()]).toEqual([[], []]);
  });
});
