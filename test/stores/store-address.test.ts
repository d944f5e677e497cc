import { describe, expect, it } from "vitest";
import {
  placeOf,
  repeatableAddress,
  shownAddress,
  storeAddress,
  storeKey,
  wholeAddress,
  withoutSecrets,
} from "../../src/stores/store-address.ts";

const standpoint = { cwd: () => "/srv/project", userHome: "/home/ann" };
const addressOf = (text: string) => storeAddress(text, standpoint);

describe("the address of a store", () => {
  it.each([
    ["files", { kind: "files" }],
    [" files ", { kind: "files" }],
    ["sqlite:x.db", { kind: "sqlite", path: "/srv/project/x.db" }],
    ["sqlite:../x.db", { kind: "sqlite", path: "/srv/x.db" }],
    ["sqlite:/var/lib/x.db", { kind: "sqlite", path: "/var/lib/x.db" }],
    ["sqlite:///var/lib/x.db", { kind: "sqlite", path: "/var/lib/x.db" }],
    ["SQLite:~/my sessions/x.db", { kind: "sqlite", path: "/home/ann/my sessions/x.db" }],
    ["sqlite:file:x.db", { kind: "sqlite", path: "/srv/project/x.db" }],
    ["sqlite:file:///my%20x.db", { kind: "sqlite", path: "/my x.db" }],
    ["sqlite:50%?.db", { kind: "sqlite", path: "/srv/project/50%?.db" }],
    [
      "postgres://ann@db.example:6543/work",
      {
        kind: "postgres",
        url: "postgres://ann@db.example:6543/work",
        name: "postgres://ann@db.example:6543/work",
      },
    ],
    [
      "postgresql://ann:s3cret@db/work?connect_timeout=2",
      {
        kind: "postgres",
        url: "postgresql://ann:s3cret@db/work?connect_timeout=2",
        name: "postgres://ann@db:5432/work",
        patienceMs: 2000,
      },
    ],
  ])("%j is read", (text, address) => {
    expect(addressOf(text)).toEqual(address);
  });

  it.each([
    ["", 'Unknown store "".'],
    ["sqlite", 'Unknown store "sqlite".'],
    ["File:x", 'Unknown store "File:x".'],
    ["mysql://ann:s3/cr@et@db/x", 'Unknown store "mysql://***@db/x".'],
    ["ann:s3cret@db/x", 'Unknown store "***@db/x".'],
    ["sqlite://ann:s3cret@db/x", '"sqlite://***@db/x" has a host, but a SQLite store is a local file.'],
    ["sqlite:", "sqlite: must be followed by a file path."],
    ["sqlite: ", "sqlite: must be followed by a file path."],
    ["sqlite::memory:", "An in-memory database would be lost when the command ends."],
    ["sqlite:folder/", '"sqlite:folder/" names a folder, not a file.'],
    ["sqlite:~root/x.db", `"sqlite:~root/x.db" names a user's home folder, which is not supported.`],
    ["sqlite:~", '"sqlite:~" names a folder, not a file.'],
    ["sqlite://host/x.db", '"sqlite://host/x.db" has a host, but a SQLite store is a local file.'],
    [
      "sqlite:file:x.db?mode=ro",
      '"sqlite:file:x.db?mode=ro" has options after its path, but options are not supported.',
    ],
    ["sqlite:file://host/x.db", '"sqlite:file://host/x.db" is not the address of a local file.'],
    ["sqlite:a\0b", "A file path cannot contain a null byte."],
  ])("%j is refused with a hint", (text, message) => {
    expect(() => addressOf(text)).toThrow(
      expect.objectContaining({ code: "INPUT_INVALID", message, hint: expect.stringContaining(".") }),
    );
  });

  it.each([
    "postgres:db",
    "postgres://ann:s3/cr@et@db/x",
    "postgres://ann:s3cret@db:port/x",
    "postgres://ann:s3@cret@db/x",
    "postgres://%zz:s3cret@h",
  ])("%j is refused without its password", (text) => {
    expect(() => addressOf(text)).toThrow(
      expect.objectContaining({
        code: "INPUT_INVALID",
        message: expect.not.stringMatching(/s3|cret|cr@et/u),
      }),
    );
  });
});

describe("the key of a store", () => {
  const keyOf = (text: string) =>
    storeKey(placeOf(addressOf(text), "/home/ann/.worldline"), "/home/ann/.worldline");

  it("is absent for the files of the home, and present for the files of another", () => {
    expect(keyOf("files")).toBeUndefined();
    expect(storeKey({ kind: "files", name: "/elsewhere", reach: "machine" }, "/home/ann")).toMatch(
      /^[0-9a-f]{16}$/u,
    );
  });

  it("is the same for every way to the same database, and different for another", () => {
    const same = ["postgres://ann:s3cret@db/work", "postgresql://bob@db:5432/work?sslmode=require"].map(
      keyOf,
    );
    expect(new Set(same).size).toBe(1);
    const others = ["postgres://ann@db/play", "postgres://ann@db2/work", "sqlite:work", "sqlite:/work"].map(
      keyOf,
    );
    expect(new Set([...same, ...others]).size).toBe(5);
  });
});

describe("the address of a store, as text", () => {
  it.each([
    [
      "sqlite:x y.db",
      { shown: "sqlite:/srv/project/x y.db", text: "sqlite:/srv/project/x y.db", password: "none" },
    ],
    [
      "postgres://ann@db/work",
      { shown: "postgres://ann@db:5432/work", text: "postgres://ann@db/work", password: "none" },
    ],
    [
      "postgres://ann:s%40@db/work?sslmode=require",
      {
        shown: "postgres://ann@db:5432/work",
        text: "postgres://ann@db/work?sslmode=require",
        password: "left-out",
      },
    ],
    [
      "postgres://ann@db/work?password=s3cret&sslmode=require",
      {
        shown: "postgres://ann@db:5432/work",
        text: "postgres://ann@db/work?sslmode=require",
        password: "left-out",
      },
    ],
    [
      "postgres://ann@db/work?password=s3cret",
      { shown: "postgres://ann@db:5432/work", text: "postgres://ann@db/work", password: "left-out" },
    ],
  ])("%j is shown and repeated without its password", (written, expected) => {
    const address = storeAddress(written, standpoint);
    expect({ shown: shownAddress(address), ...repeatableAddress(address) }).toEqual(expected);
    expect(storeAddress(wholeAddress(address), standpoint)).toEqual(address);
  });
});

describe("a text without secrets", () => {
  it.each([
    ["connecting to postgres://ann:s3cret@db/work failed", "connecting to postgres://ann:***@db/work failed"],
    ["'postgres://ann@db/x?sslmode=a&password=s3cret'", "'postgres://ann@db/x?sslmode=a&password=***'"],
    ['postgres://ann:it\'s "s3cret" @db/work', "postgres://ann:***@db/work"],
    ["http://localhost:8080/a@b", "http://localhost:8080/a@b"],
    ["mail ann@example.com: hello", "mail ann@example.com: hello"],
  ])("%j is %j", (text, shown) => {
    expect(withoutSecrets(text)).toBe(shown);
  });
});
