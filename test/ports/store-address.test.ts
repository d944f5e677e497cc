import { describe, expect, it } from "vitest";
import {
  repeatableAddress,
  shownAddress,
  wholeAddress,
  withoutSecrets,
} from "../../src/ports/store-address.ts";
import { storeAddress } from "../../src/stores/store-address.ts";

const standpoint = { cwd: () => "/srv/project", userHome: "/home/ann" };

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
