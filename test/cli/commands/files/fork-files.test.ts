import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { workshop } from "../../support/workshop.ts";

async function changed() {
  const shop = workshop();
  shop.put("a.txt", "one\n");
  shop.put(".gitignore", ".env\n");
  shop.put(".env", "SECRET=1\n");
  await shop.worldline("checkpoint start");
  const before = shop.files();
  shop.put("a.txt", "two\n");
  return { ...shop, before, after: shop.files() };
}

describe("worldline fork, of files", () => {
  it("leaves files as they are, and its checkpoints keep theirs", async () => {
    const { worldline, data, files, before, after } = await changed();
    const { session } = await data("fork --at 1");
    expect(files()).toEqual(after);
    expect(await worldline(`rewind ${session}:1 --take`)).toMatchObject({ code: 0 });
    expect(files()).toEqual(before);
  });

  it("takes the workspace to where it begins, which redo takes back", async () => {
    const { worldline, data, files, before, after } = await changed();
    expect(await data("fork --at start --files restore")).toMatchObject({
      at: 1,
      files: { outcome: { restored: 1, kept: 0, failed: 0 } },
    });
    expect(files()).toEqual(before);
    await worldline("redo");
    expect(files()).toEqual(after);
  });

  it("gets its own workspace, which evolves separately", async () => {
    const { data, files, before, after, root, worldline } = await changed();
    const folder = join(root, "attempt");
    const { session, workspace } = await data(["fork", "--at", "1", "--into", folder]);
    expect({ workspace, there: files(folder), here: files() }).toEqual({
      workspace: folder,
      there: before,
      here: after,
    });
    const inFolder = { cwd: folder, known: [folder] };
    expect(await data("checkpoint", inFolder)).toMatchObject({ session, number: 2 });
    expect(await worldline(["fork", "--at", "1", "--into", folder])).toMatchObject({ code: 42 });
  });

  it.each([
    "fork --files restore",
    "fork --into ../attempt",
    "fork --at 1 --files restore --into ../attempt",
    "fork --at 1 --files restore --keep --take",
  ])("refuses `%s`, and forks nothing", async (line) => {
    const { worldline, data } = await changed();
    expect(await worldline(line)).toMatchObject({ code: 2, stdout: "" });
    expect((await data("sessions list")).sessions).toHaveLength(1);
  });
});
