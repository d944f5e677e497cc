import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { parseAddress } from "../../../src/stores/postgres/address.ts";

const nameOf = (url: string, environment: NodeJS.ProcessEnv = {}) => parseAddress(url, environment).name;

function refusal(url: string): unknown {
  try {
    return parseAddress(url, {});
  } catch (error) {
    return error;
  }
}

describe("the address of a Postgres store", () => {
  it("is named without its password, and with what it leaves out", () => {
    expect(nameOf("postgres://ann:s3cret@db.example:6543/work")).toBe("postgres://ann@db.example:6543/work");
    expect(nameOf("postgresql://ann@db.example/work")).toBe("postgres://ann@db.example:5432/work");
    expect(nameOf("POSTGRES://ann@[::1]/work?password=s3cret")).toBe("postgres://ann@[::1]:5432/work");
    expect(nameOf("postgres://ann@db.example")).toBe("postgres://ann@db.example:5432/ann");
  });

  it("takes from the environment what psql takes from there", () => {
    const environment = {
      PGUSER: "bob",
      PGHOST: "far",
      PGPORT: "7000",
      PGDATABASE: "kept",
      PGPASSWORD: "s3cret",
    };
    expect(nameOf("postgres://", environment)).toBe("postgres://bob@far:7000/kept");
    expect(nameOf("postgres://ann@near/own", environment)).toBe("postgres://ann@near:7000/own");
    expect(nameOf("postgres://ann@/own", environment)).toBe("postgres://ann@far:7000/own");
    expect(parseAddress("postgres://", environment).secrets).toEqual(["s3cret"]);
  });

  it("may be a socket's folder", () => {
    expect(nameOf("postgres://ann@/work?host=/run/pg")).toBe("postgres://ann@/work?host=/run/pg");
    expect(nameOf("postgres:///work?host=/run/pg&port=6000&user=ann")).toBe(
      "postgres://ann@/work?host=/run/pg&port=6000",
    );
    expect(nameOf("postgres://ann@%2Frun%2Fpg/work")).toBe("postgres://ann@/work?host=/run/pg");
  });

  it("knows the password in every way it is written, to keep it out of messages", () => {
    const { secrets } = parseAddress("postgres://ann:p%40ss@h/d?password=o%2Fther", {});
    expect(secrets).toEqual(["o/ther", "p@ss", "p%40ss"]);
  });

  it("requires a checked certificate by the name that will keep this meaning", () => {
    const modeOf = (query: string) => new URL(parseAddress(`postgres://a@h/d${query}`, {}).connection).search;
    expect(modeOf("?sslmode=require")).toBe("?sslmode=verify-full");
    expect(modeOf("?sslmode=no-verify")).toBe("?sslmode=no-verify");
    expect(modeOf("?uselibpqcompat=true&sslmode=require")).toBe("?uselibpqcompat=true&sslmode=require");
    expect(modeOf("")).toBe("");
  });

  it.each([
    ["a bare / in the password", "postgres://ann:s3/cret@db.example/work"],
    ["a bare # in the password", "postgres://ann:12#s3cret@db.example/work"],
    ["a bare ? in the password", "postgres://ann:12?s3cret@db.example/work"],
    ["a bare % in the password", "postgres://ann:s3cret%@db.example/work"],
    ["bytes that are not UTF-8", "postgres://ann:s3cret%ff@db.example/work"],
    ["a port that is none", "postgres://ann:s3cret@db.example:port/work"],
    ["a port elsewhere that is none", "postgres://ann:s3cret@db.example/work?port=s3cret"],
    ["two databases", "postgres://ann:s3cret@db.example/work/s3cret"],
    ["another scheme", "mysql://ann:s3cret@db.example/work"],
  ])("with %s is refused without quoting it", (_, url) => {
    const error = refusal(url);
    expect(error).toMatchObject({
      code: "INPUT_INVALID",
      hint: expect.stringContaining("postgres://user@host"),
    });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/s3|cret/u);
  });
});
