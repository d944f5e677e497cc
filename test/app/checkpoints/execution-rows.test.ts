import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openExecution } from "../../../src/open-execution.ts";
import { type OpenWorkshop, openWorkshop, turn } from "../journeys/open-workshop.ts";

async function ran(place: OpenWorkshop, id: string, files: "on" | "off" = "on") {
  const { home, workspace } = place;
  const execution = await openExecution(id, { home, workspace, files });
  place.put("out.txt", "one\n");
  await execution.step("load", () => 1);
  place.put("out.txt", "two\n");
  await execution.step("data_processing", () => 2);
  place.put("out.txt", "three\n");
  await execution.save({ name: "write", index: 2, status: "failed", error: new Error("no room") });
  await execution.close();
  return execution.session;
}

describe("executions of programs in the list", () => {
  it("have a few rows before those of other sessions, each at its newest success", async () => {
    const place = await openWorkshop();
    await turn(place.session(), "work", () => undefined);
    const session = await ran(place, "exec-123");
    for (let more = 0; more < 6; more += 1) await ran(place, `other-${more}`, "off");
    const rows = await place.journeys.rowsElsewhere();
    expect(rows.map(({ execution }) => execution)).toEqual(
      [5, 4, 3, 2, 1].map((more) => ({ id: `other-${more}`, step: "data_processing" })),
    );
    expect((await place.journeys.rowsHere()).every(({ place: where }) => where === "here")).toBe(true);
    const { checkpoints } = { checkpoints: rows.map(({ files }) => files) };
    expect(new Set(checkpoints)).toEqual(new Set(["none"]));
    expect(session).not.toBe(place.session().id);
  });

  it("bring files and state back, and leave the agent's session where it is", async () => {
    const place = await openWorkshop();
    await turn(place.session(), "work", () => undefined);
    const session = await ran(place, "exec-123");
    const here = place.session().id;
    const [row] = await place.journeys.rowsElsewhere();
    if (row === undefined) throw new Error("no row");
    expect(row).toMatchObject({ session, number: 2, place: "execution", files: "complete" });
    expect(await place.journeys.find("exec-123")).toEqual(row);
    expect(await place.journeys.scopes(row)).toEqual({ scopes: ["both"] });
    const request = { session, number: row.number, scope: "both" } as const;
    const preview = await place.journeys.preview(request);
    expect(preview).toMatchObject({
      place: { execution: "exec-123", step: "data_processing" },
      files: { steps: [{ path: "out.txt", what: "changed" }] },
    });
    expect(preview.opens).toBeUndefined();
    const made = await place.journeys.rewind(request);
    expect(made).toMatchObject({
      place: { execution: "exec-123", step: "data_processing" },
      redo: session,
      files: { restored: 1, kept: 0, failed: 0 },
    });
    expect(readFileSync(join(place.workspace, "out.txt"), "utf8")).toBe("two\n");
    expect(place.session().id).toBe(here);
    expect(await place.journeys.scopes(row)).toEqual({ scopes: ["files"] });
  });

  it("offer no choice of scope if there are no files", async () => {
    const place = await openWorkshop();
    await ran(place, "exec-1", "off");
    const [row] = await place.journeys.rowsElsewhere();
    if (row === undefined) throw new Error("no row");
    expect(await place.journeys.scopes(row)).toEqual({ scopes: ["conversation"] });
    await place.journeys.rewind({ session: row.session, number: row.number, scope: "conversation" });
    expect(await place.journeys.scopes(row)).toEqual({
      scopes: [],
      without: expect.objectContaining({ reason: "execution-there-already" }),
    });
  });

  it("name the holder of one that is running", async () => {
    const place = await openWorkshop();
    const { home, workspace } = place;
    const running = await openExecution("exec-1", { home, workspace, name: "a nightly import" });
    await running.step("one", () => 1);
    await running.step("two", () => 2);
    const request = { session: running.session, number: 1, scope: "conversation" } as const;
    await expect(place.journeys.rewind(request)).rejects.toMatchObject({
      code: "SESSION_HELD",
      message: expect.stringContaining("a nightly import"),
    });
    await running.close();
  });
});
