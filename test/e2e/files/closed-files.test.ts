import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { machine } from "../binary.ts";

/** A workspace whose file modes apply even when the tests run as root. */
function ownersMachine() {
  const here = machine({}, { as: "owner" });
  const at = (path: string): string => join(here.workspace, path);
  const run = async (...args: readonly string[]) => {
    const said = await here.worldline(args);
    expect(said).toMatchObject({ code: 0 });
    return said.stdout;
  };
  return {
    at,
    run,
    worldline: here.worldline,
    write: (path: string, text: string) => writeFileSync(at(path), text),
    folder: (path: string) => mkdirSync(at(path)),
    mode: (path: string) => lstatSync(at(path)).mode & 0o7777,
    close: (path: string, mode: number) => chmodSync(at(path), mode),
  };
}

describe("what its owner may not read", () => {
  it("is named by the checkpoint, stays as it is in a rewind, and keeps nothing else from coming back", async () => {
    const { at, run, write, folder, mode, close } = ownersMachine();
    for (const path of ["plain", "none", "written"]) write(path, "one");
    for (const path of ["shut", "listed", "entered"]) {
      folder(path);
      write(`${path}/file`, "one");
    }
    await run("checkpoint", "one");
    write("plain", "two");
    const closed = { none: 0o000, written: 0o200, shut: 0o000, listed: 0o600, entered: 0o300 };
    for (const [path, bits] of Object.entries(closed)) close(path, bits);
    const told = await run("checkpoint", "two");
    expect(told).toContain("Files partly captured");
    for (const path of ["none", "written", "shut", "listed/file", "entered"]) {
      expect(told).toContain(`  ${path}: could not be read\n`);
    }
    expect(await run("diff", "1", "2")).toContain("\n0 created, 0 deleted, 2 changed, 5 not covered\n");
    const rewound = await run("rewind", "1", "--yes");
    expect(rewound).toContain("  kept  none  (can no longer be read)\n");
    expect(rewound).toContain("0 failed");
    expect(readFileSync(at("plain"), "utf8")).toBe("one");
    expect([mode("none"), mode("written"), mode("shut"), mode("entered")]).toEqual([0, 0o200, 0, 0o300]);
    await run("redo", "--yes");
    expect(readFileSync(at("plain"), "utf8")).toBe("two");
  });
});

describe("folders that their owner may not write", () => {
  it("come back with what was in them and with their modes, and go again", async () => {
    const { at, run, write, folder, mode, close } = ownersMachine();
    folder("fixed");
    write("fixed/file", "one");
    folder("deep");
    folder("deep/er");
    write("deep/er/file", "deep");
    for (const path of ["deep/er", "deep"]) close(path, 0o500);
    close("fixed", 0o555);
    await run("checkpoint", "one");
    await run(
      "run",
      "--",
      "sh",
      "-c",
      "chmod -R u+w deep fixed; rm -rf deep; echo two > fixed/file; chmod 555 fixed",
    );
    await run("rewind", "1", "--yes");
    expect(readFileSync(at("fixed/file"), "utf8")).toBe("one");
    expect(readFileSync(at("deep/er/file"), "utf8")).toBe("deep");
    expect([mode("fixed"), mode("deep"), mode("deep/er")]).toEqual([0o555, 0o500, 0o500]);
    await run("redo", "--yes");
    expect(readFileSync(at("fixed/file"), "utf8")).toBe("two\n");
    expect(existsSync(at("deep"))).toBe(false);
    expect(mode("fixed")).toBe(0o555);
  });
});

describe("a workspace that its owner may not write", () => {
  it("is captured, and opened for a rewind", async () => {
    const { at, run, write, mode, close } = ownersMachine();
    write("file", "one");
    close("", 0o555);
    await run("checkpoint", "one");
    close("", 0o755);
    write("file", "two");
    write("new", "new");
    close("", 0o555);
    await run("rewind", "1", "--yes");
    expect([readFileSync(at("file"), "utf8"), existsSync(at("new")), mode("")]).toEqual([
      "one",
      false,
      0o555,
    ]);
  });

  it("is refused with the next step where it cannot be read", async () => {
    const { worldline, close } = ownersMachine();
    close("", 0o300);
    const { code, stderr } = await worldline(["checkpoint", "one"]);
    expect(code).toBe(42);
    expect(stderr).toContain("hint: ");
    expect(stderr).not.toContain("    at ");
  });
});
