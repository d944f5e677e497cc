import { expect, it } from "vitest";
import { describeWithPostgres } from "../../support/postgres/postgres.ts";
import { textOf } from "../agent/support.ts";
import { byPrompt, calls } from "../terminal/support/replies.ts";
import { type TwoMachines, twoMachines } from "./support/two-machines.ts";

const write = (name: string) => [
  calls("Write", { file_path: `${name}.txt`, content: `${name}\n` }),
  { text: `Written: ${name}.` },
];

/** A session that wrote two files on anna and a third on bert, whose disk has neither of the two. */
async function moved(): Promise<TwoMachines & { readonly session: string }> {
  const both = await twoMachines(
    byPrompt({
      "Write one": write("one"),
      "Write two": write("two"),
      "Write three": write("three"),
      "What is there?": [{ text: "A good deal." }],
    }),
    { files: { "notes.txt": "Pears.\n" } },
  );
  const { anna, bert } = both;
  const { session } = await anna.ask("Write one");
  await anna.ask("Write two", "-r", session);
  both.turnTo("bert");
  const before = await bert.worldline(["-r", session, "-p", "Write three"]);
  expect(before).toMatchObject({ code: 42, stdout: "" });
  expect(before.stderr).toContain(`worldline sessions confirm ${session}`);
  await bert.confirm(session);
  const x = await bert.ask("Write three", "-r", session);
  expect(x).toMatchObject({ code: 0, answer: "Written: three." });
  return { ...both, session };
}

describeWithPostgres("a session that continues on another machine", () => {
  it("goes back with its files to what was captured here, and with the conversation alone to the rest", async () => {
    const both = await moved();
    const { session, bert } = both;
    const rewind = async (to: string, scope: string) =>
      bert.worldline(["rewind", to, "--session", session, "--scope", scope, "--yes"]);
    for (const scope of ["both", "files"]) {
      const refused = await rewind("6", scope);
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toContain(
        "error: The files for checkpoint 6 were captured on anna and are not on this machine.",
      );
    }
    expect(both.read("three.txt")).toBe("three\n");
    expect(await rewind("6", "conversation")).toMatchObject({ code: 0 });
    expect(both.read("three.txt")).toBe("three\n");
    expect(await bert.worldline(["redo", "--session", session, "--yes"])).toMatchObject({ code: 0 });
    expect(await rewind("7", "both")).toMatchObject({ code: 0 });
    expect([both.read("three.txt"), both.read("notes.txt")]).toEqual([undefined, "Pears.\n"]);
    expect(await bert.worldline(["redo", "--session", session, "--yes"])).toMatchObject({ code: 0 });
    expect(both.read("three.txt")).toBe("three\n");
    expect(both.leaks()).toEqual([]);
  });

  it("comes back with the conversation from there, and the files of its first machine can still go back", async () => {
    const both = await moved();
    const { session, anna } = both;
    both.turnTo("anna");
    const look = await anna.worldline(["resume", session]);
    expect(look.stdout).toMatch(/elsewhere +the files of #9 are only on bert/u);
    expect(await anna.ask("What is there?", "-r", session)).toMatchObject({
      code: 0,
      answer: "A good deal.",
    });
    const seen = textOf(both.server.requests.at(-1));
    for (const text of ["Write one", "Write three", "Written: three."]) expect(seen).toContain(text);
    const back = await anna.worldline(["rewind", "4", "--session", session, "--scope", "both", "--yes"]);
    expect(back).toMatchObject({ code: 0 });
    expect(back.stdout).toContain("Files: 0 restored, 1 removed, 0 kept, 0 failed");
    expect(["one.txt", "two.txt", "notes.txt"].map(both.read)).toEqual(["one\n", undefined, "Pears.\n"]);
    expect(both.leaks()).toEqual([]);
  });
});
