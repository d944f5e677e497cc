import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AppContext } from "../../../src/app/context.ts";
import {
  type GivenToForget,
  readForgetRequest,
  type Searched,
} from "../../../src/app/forget/forget-request.ts";
import { openForgettableFiles } from "../../../src/open-files.ts";
import { openSession } from "../../../src/open-session.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { tempFolder } from "../../../src/testing/temp-folder.ts";

/** A user in a folder below the workspace, with an empty store and no snapshots. */
function asked() {
  const { path: root, remove } = tempFolder();
  onTestFinished(remove);
  const [home, workspace, cwd] = ["home", "work", "work/src"].map((each) => join(root, each)) as [
    string,
    string,
    string,
  ];
  mkdirSync(cwd, { recursive: true });
  const store = openMemoryStore();
  const context = { surroundings: { cwd: () => cwd }, workspace: async () => workspace } as AppContext;
  const piped: number[] = [];
  return {
    ...{ home, workspace, cwd, store, piped },
    read: async (
      given: Partial<GivenToForget> & { readonly pipe?: Uint8Array | string },
      searched: Partial<Searched> = {},
    ) => {
      const files = openForgettableFiles({ home });
      const readPiped = async (maxBytes: number) => {
        piped.push(maxBytes);
        return Buffer.from(given.pipe ?? "");
      };
      try {
        const request = { argument: undefined, text: undefined, path: undefined, readPiped, ...given };
        return await readForgetRequest(context, { store, files, ...searched }, request);
      } finally {
        files.close();
      }
    },
  };
}

/** The reason and the parameters of the error. */
async function refusal(work: Promise<unknown>): Promise<unknown> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  const { reason, params } = error as { readonly reason?: string; readonly params?: object };
  return { reason, ...params };
}

const text = (secret: string) => ({ what: "text", text: secret });

describe("a request to forget something", () => {
  it("is about exactly one thing", async () => {
    const { read } = asked();
    const reason = "one-thing-to-forget";
    expect(await refusal(read({}))).toEqual({ reason, count: 0 });
    expect(await refusal(read({ argument: "hunter2", text: "hunter2" }))).toEqual({ reason, count: 2 });
    expect(await refusal(read({ argument: "-", text: "", path: "" }))).toEqual({ reason, count: 3 });
  });

  it("is about a text that may look like a file or like a pipe", async () => {
    const { read, cwd, piped } = asked();
    writeFileSync(join(cwd, "notes.txt"), "");
    expect(await read({ text: "notes.txt" })).toEqual(text("notes.txt"));
    expect(await refusal(read({ text: "-" }))).toMatchObject({ reason: "forget-text-short" });
    expect(piped).toEqual([]);
  });

  it("is about a file, from the current folder", async () => {
    const { read, cwd } = asked();
    expect(await read({ path: "../keys/.env" })).toEqual({ what: "path", path: join(cwd, "../keys/.env") });
    expect(await read({ path: "/etc/keys" })).toEqual({ what: "path", path: "/etc/keys" });
    for (const path of ["", "  "]) {
      expect(await refusal(read({ path }))).toEqual({ reason: "forget-path-empty" });
    }
  });

  it("is about a secret in a pipe, without the last line break", async () => {
    const { read, piped } = asked();
    expect(await read({ argument: "-", pipe: "one\ntwo" })).toEqual(text("one\ntwo"));
    expect(piped).toEqual([1024 * 1024]);
    expect(await read({ argument: "-", pipe: "hunter2\n" })).toEqual(text("hunter2"));
    expect(await read({ argument: "-", pipe: "hunter2\r\n" })).toEqual(text("hunter2"));
    expect(await read({ argument: "-", pipe: "\nhunter2\n\n" })).toEqual(text("\nhunter2\n"));
    const latin1 = read({ argument: "-", pipe: Buffer.from("hünter2", "latin1") });
    expect(await refusal(latin1)).toEqual({ reason: "secret-not-utf8" });
    await expect(latin1).rejects.toMatchObject({ cause: { code: "ERR_ENCODING_INVALID_ENCODED_DATA" } });
  });

  it("is about a text if the argument cannot be a file", async () => {
    const { read, cwd, workspace } = asked();
    for (const secret of ["hunter2", "sk/live.42", "hunter2\0", "a\nfile", "x".repeat(100_000)]) {
      expect(await read({ argument: secret })).toEqual(text(secret));
    }
    writeFileSync(join(cwd, "   "), "");
    for (const argument of ["", "   ", "abc"]) {
      expect(await refusal(read({ argument }))).toEqual({ reason: "forget-text-short", shortest: 4 });
    }
    writeFileSync(join(workspace, "a\nfile"), "");
    expect(await read({ argument: "a\nfile" })).toEqual(text("a\nfile"));
  });

  it("does not repeat the argument if it may also be a file in the current folder or the workspace", async () => {
    const { read, cwd, workspace } = asked();
    writeFileSync(join(cwd, "notes"), "");
    writeFileSync(join(workspace, "plans"), "");
    const unclear = { reason: "file-or-text" };
    for (const argument of ["notes", "plans", join(cwd, "notes"), "../plans"]) {
      expect(await refusal(read({ argument })), argument).toEqual(unclear);
    }
    expect(await read({ argument: "notes2" })).toEqual(text("notes2"));
  });
});

describe("an argument that could name a deleted file", () => {
  it("is unclear if a tool call names that file, from the current folder or the workspace", async () => {
    const { read, store, workspace } = asked();
    const session = await openSession({ store, workspace, files: "off" });
    await session.prompt("read the keys");
    for (const [call, path] of [
      ["c1", "keys/.env"],
      ["c2", "src/own/.env"],
      ["c3", "secrets"],
    ] as const) {
      await session.reply({
        model: "m",
        parts: [{ type: "tool-call", call, name: "Read", input: { path } }],
      });
      await session.toolStart(call, "Read");
      await session.toolEnd(call, "ok", "KEY=hunter2");
    }
    await session.close();
    const unclear = { reason: "file-or-text" };
    for (const argument of ["keys/.env", "own/.env", "../keys/.env", "./secrets"]) {
      expect(await refusal(read({ argument })), argument).toEqual(unclear);
    }
    expect(await read({ argument: "secrets" })).toEqual(text("secrets"));
    expect(await read({ argument: "keys/other" })).toEqual(text("keys/other"));
  });

  it("is unclear if a snapshot contains that file", async () => {
    const { read, home, workspace, cwd } = asked();
    writeFileSync(join(workspace, "old.env"), "KEY=1");
    const session = await openSession({ home, workspace, files: "on" });
    await session.checkpoint("before");
    await session.close();
    rmSync(join(workspace, "old.env"));
    expect(await refusal(read({ argument: "old.env" }))).toEqual({ reason: "file-or-text" });
    expect(await read({ argument: "new.env" })).toEqual(text("new.env"));
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("is unclear if that file cannot be searched for, but any other error is an error", async () => {
    const { read, store } = asked();
    const failing = (error: Error) => ({ store: { ...store, list: async () => Promise.reject(error) } });
    const refused = failing(new WorldlineError("INPUT_INVALID", "This is part of a session's name."));
    expect(await refusal(read({ argument: "keys/.env" }, refused))).toEqual({ reason: "file-or-text" });
    const failed = failing(new WorldlineError("STORE_UNREADABLE", "The disk failed."));
    await expect(read({ argument: "keys/.env" }, failed)).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
    expect(await read({ argument: "hunter2" }, failed)).toEqual(text("hunter2"));
  });
});
