import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  exportedHeader,
  hasAuthority,
  signedText,
  storedHeader,
  unconfirmedHeader,
  unsigned,
  withoutAuthority,
} from "../../src/record/authority.ts";
import type { Entry, EntryBody } from "../../src/record/entry.ts";
import type { OutsideChange } from "../../src/record/files.ts";
import type { BlobHash } from "../../src/record/ids.ts";
import { Story } from "../../src/testing/testing.ts";
import { anyEntry } from "./arbitrary-entries.ts";

const story = new Story();
const header = story.begin("/projects/pool");
const outside: readonly OutsideChange[] = [
  { path: "/etc/hosts", after: { blob: "1".repeat(64) as BlobHash, mode: 0o644, size: 3 } },
];

const tell = <Body extends EntryBody>(body: Body): Entry => story.tell(body) as Entry;
const started = { kind: "tool-start", call: "c1", name: "Bash" } as const;
const ended = { kind: "tool-end", call: "c1", outcome: "ok", parts: [], estimate: 0 } as const;
const host = { kind: "host", host: "claude", hostSession: "4f1c" } as const;

describe("an entry", () => {
  it.each<[string, EntryBody, EntryBody]>([
    [
      "another agent's conversation",
      { ...host, message: "m1", granted: "Bash(ls)", model: "opus", asked: "best", window: 200_000 },
      { ...host, hostSession: "" },
    ],
    ["a permission", { ...started, input: {}, granted: "Bash(ls)" }, { ...started, input: {} }],
    ["files outside the workspace", { ...ended, outside }, ended],
  ])("grants %s, and is plain data without it", (_what, body, plain) => {
    const entry = tell(body);
    const { seq, id, parent, at } = entry;
    expect(hasAuthority(entry)).toBe(true);
    expect(withoutAuthority(entry)).toEqual({ seq, id, parent, at, ...plain });
  });

  it.each<[string, Entry]>([
    ["a prompt", story.prompt("hi")],
    ["a call that the user did not grant a rule with", tell(started)],
    ["a call that changed files of the workspace", tell(ended)],
    ["a call that changed no file outside it", tell({ ...ended, outside: [] })],
  ])("grants nothing as %s, and stays the same", (_what, entry) => {
    expect(hasAuthority(entry)).toBe(false);
    expect(withoutAuthority(entry)).toBe(entry);
  });

  it("keeps its authority as the first entry of a session, which is confirmed in another way", () => {
    expect(hasAuthority(header)).toBe(true);
    expect(withoutAuthority(header)).toBe(header);
  });
});

describe("a signature", () => {
  const entry = story.tell({
    kind: "tool-end",
    call: "c1",
    outcome: "ok",
    parts: [{ type: "text", text: "done" }],
    outside: [{ path: "/b" }, { path: "/a" }],
    estimate: 2,
  });

  it("covers the session and all fields of the entry in alphabetical order", () => {
    expect(signedText("s000000001", { ...entry, parent: null, mac: "f00d" } as Entry)).toBe(
      "worldline-entry 1\ns000000001\n" +
        `{"at":"${entry.at}","call":"c1","estimate":2,"id":"${entry.id}","kind":"tool-end","outcome":"ok",` +
        `"outside":[{"path":"/b"},{"path":"/a"}],"parent":null,"parts":[{"text":"done","type":"text"}],"seq":${entry.seq}}`,
    );
  });

  it("is not part of what it covers", () => {
    expect(unsigned({ ...entry, mac: "f00d" } as Entry)).toEqual(entry);
    expect("mac" in unsigned({ ...entry, mac: "f00d" } as Entry)).toBe(false);
    expect(unsigned(entry)).toBe(entry);
  });

  it("law: covers the same text regardless of the order of the fields", () => {
    fc.assert(
      fc.property(anyEntry, (each) => {
        const turned = JSON.parse(JSON.stringify(each), (_key, value: unknown) =>
          typeof value === "object" && value !== null && !Array.isArray(value)
            ? Object.fromEntries(Object.entries(value).reverse())
            : value,
        ) as Entry;
        expect(signedText("s000000001", turned)).toBe(signedText("s000000001", each));
      }),
    );
  });

  it("law: covers everything in the entry", () => {
    fc.assert(
      fc.property(anyEntry, (each) => {
        const covered = signedText("s000000001", each).split("\n").slice(2).join("\n");
        expect(JSON.parse(covered)).toEqual(JSON.parse(JSON.stringify(each)));
      }),
    );
  });
});

describe("the first entry of a session that this home did not write", () => {
  const { workspace, system, tag, ...rest } = header;
  const withheld = { ...rest, workspace: "", system: "", tag: `unconfirmed${header.session}` };

  it.each([
    [undefined, { state: "needed", stored: header }],
    [1_700_000_000_000, { state: "needed", stored: header, used: 1_700_000_000_000 }],
  ])("withholds its workspace, system prompt, and tag when it arrived at %j", (arrived, confirmation) => {
    expect(unconfirmedHeader(header, arrived)).toStrictEqual({ ...withheld, confirmation });
  });

  it("is in the log as it was written, before the user confirms it and after", () => {
    const confirmed = {
      ...header,
      workspace: "/mine",
      confirmation: { state: "given", stored: header },
    } as const;
    expect([header, unconfirmedHeader(header), confirmed].map(storedHeader)).toEqual([
      header,
      header,
      header,
    ]);
  });

  it("is exported as it was written until the user confirms it for a folder", () => {
    const mine = { ...header, workspace: "/mine" };
    expect(exportedHeader(header)).toStrictEqual(header);
    expect(exportedHeader(unconfirmedHeader(header))).toBe(header);
    expect(exportedHeader({ ...mine, confirmation: { state: "given", stored: header } })).toStrictEqual(mine);
  });
});
