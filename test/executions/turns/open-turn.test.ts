import { describe, expect, it } from "vitest";
import { openExecution } from "../../../src/open-execution.ts";
import { openSession } from "../../../src/open-session.ts";
import { turn } from "../../app/journeys/open-workshop.ts";
import { workshop } from "../../cli/support/workshop.ts";

describe("openExecution with the id of a turn", () => {
  it("opens the turn, and brings its files back", async () => {
    const { home, workspace, put, files } = workshop();
    const session = await openSession({ home, workspace, files: "on" });
    put("a.txt", "one\n");
    const number = await turn(session, "make it two", () => put("a.txt", "two\n"));
    await session.close();
    const execution = await openExecution(`turn-${session.id}-${number}`, { home, workspace, files: "on" });
    const [first] = await execution.checkpoints();
    expect(first).toMatchObject({ name: "Bash", status: "success", state: { files: "complete" } });
    expect(await execution.rollbackTo(first?.id ?? "")).toMatchObject({
      success: true,
      output: { files: { restored: 1, kept: 0, failed: 0 } },
    });
    expect(files()).toMatchObject({ "a.txt": "one\n" });
    await execution.close();
  });

  it("begins a program's execution if there is no such turn, and keeps to that", async () => {
    const { home, workspace } = workshop();
    const session = await openSession({ home, workspace });
    const id = `turn-${session.id}-1`;
    const program = await openExecution(id, { home, workspace });
    expect(await program.step("mine", () => 1)).toBe(1);
    await program.close();
    await session.prompt("the real one");
    await session.close();
    const again = await openExecution(id, { home, workspace });
    expect((await again.checkpoints()).map(({ name }) => name)).toEqual(["mine"]);
    await again.close();
  });
});
