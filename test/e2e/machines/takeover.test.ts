import { expect, it } from "vitest";
import { describeWithPostgres } from "../../support/postgres/postgres.ts";
import { OUTPUT } from "../agent/support.ts";
import { byPrompt, calls } from "../terminal/support/replies.ts";
import { powerCut } from "./support/machine.ts";
import { twoMachines } from "./support/two-machines.ts";

const SLOW = "echo begun; echo ran >> runs.txt; sleep 300";
const show = (what: string, said: unknown) =>
  console.log(`=== ${what}\n`, typeof said === "string" ? said : JSON.stringify(said, null, 1));

describeWithPostgres("a machine that died in the middle of a turn", () => {
  it("explores", async () => {
    const both = await twoMachines(
      byPrompt({
        "Write one": [calls("Write", { file_path: "one.txt", content: "1\n" }), { text: "One is written." }],
        "Write two": [calls("Write", { file_path: "two.txt", content: "2\n" }), { text: "Two is written." }],
        "Do the slow thing": [calls("Bash", { command: SLOW }), { text: "I do not know whether it ran." }],
        Aside: [{ text: "In a copy." }],
        "Write three": [
          calls("Write", { file_path: "three.txt", content: "3\n" }),
          { text: "Three is written." },
        ],
        "Back on anna": [{ text: "Seen." }],
      }),
      { leaseMs: 5000, files: { "notes.txt": "Pears.\n" } },
    );
    const { anna, bert } = both;
    const { session } = await anna.ask("Write one");
    show("second", await anna.ask("Write two", "-r", session));
    show("label", await anna.worldline(["checkpoint", "both written", "--session", session]));
    const slow = anna.start(["-r", session, "-p", "Do the slow thing", "--output-format", "stream-json"]);
    await slow.until("stdout", OUTPUT);
    await powerCut(slow.child);
    show("runs on anna", both.read("runs.txt"));
    both.turnTo("bert");
    const t = Date.now();
    const [p, r, c, f] = await Promise.all([
      bert.worldline(["-r", session, "-p", "Aside"]),
      bert.worldline(["resume", session]),
      bert.worldline(["resume", session, "--continue"]),
      bert.ask("Aside", "-r", session, "--fork"),
    ]);
    show("took", Date.now() - t);
    show("-r -p", p);
    show("resume", r);
    show("resume --continue", c);
    show("fork", f);
    show("sessions show", await bert.worldline(["sessions", "show", session]));
    show("executions", await bert.worldline(["executions"]));
    await both.leaseOver(session);
    show("resume", await bert.worldline(["resume", session]));
    const go = await bert.worldline(["resume", session, "--continue"]);
    show("continue", go);
    show("last request", both.server.requests.at(-1)?.messages.slice(-4));
    show("runs", both.read("runs.txt"));
    show("three", await bert.ask("Write three", "-r", session));
    const cps = await bert.worldline(["checkpoints", "--session", session]);
    show("checkpoints", cps);
    show(
      "rewind both",
      await bert.worldline(["rewind", "2", "--session", session, "--scope", "both", "--yes"]),
    );
    show(
      "rewind files",
      await bert.worldline(["rewind", "2", "--session", session, "--scope", "files", "--yes"]),
    );
    show("rewind default", await bert.worldline(["rewind", "2", "--session", session, "--yes"]));
    show(
      "rewind conv",
      await bert.worldline(["rewind", "2", "--session", session, "--scope", "conversation", "--yes"]),
    );
    show("redo", await bert.worldline(["redo", "--session", session, "--yes"]));
    both.turnTo("anna");
    show("anna resume", await anna.worldline(["resume", session]));
    show("anna asks", await anna.ask("Back on anna", "-r", session));
    show("last request", both.server.requests.at(-1)?.messages);
    show(
      "anna rewinds",
      await anna.worldline(["rewind", "2", "--session", session, "--scope", "both", "--yes"]),
    );
    show("files", [both.read("one.txt"), both.read("two.txt")]);
    show("leaks", both.leaks());
    expect(1).toBe(1);
  });
});
