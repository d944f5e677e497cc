import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { homeChecks, spaceCheck, verdictOnSpace } from "../../../src/app/doctor/home-checks.ts";
import { playground } from "../../cli/support/command-line.ts";
import { recordingContext } from "../support/recording-context.ts";

const space = { about: "home", status: "ok", finding: { code: "space", given: [expect.any(Number)] } };

function placeWith(home: string, mode: number) {
  const place = { ...playground() };
  mkdirSync(join(place.root, "home"), { mode: 0o700 });
  const path = join(place.root, home);
  chmodSync(join(place.root, "home"), mode);
  return { ...place, home: path };
}

describe("the doctor's verdict on a home", () => {
  it("is that it is ready if only its owner has access", async () => {
    const place = placeWith("home", 0o700);
    expect(await homeChecks(recordingContext(place).context, "check")).toEqual([
      { about: "home", status: "ok", finding: { code: "homeReady", given: [place.home] } },
      space,
    ]);
  });

  it("is that it can be created, however many folders above it are missing", async () => {
    const place = placeWith("home/below/deep", 0o700);
    expect(await homeChecks(recordingContext(place).context, "check")).toEqual([
      { about: "home", status: "ok", finding: { code: "homeMissing", given: [place.home] } },
      space,
    ]);
  });

  it("is that it is open to others, which a repair changes", async () => {
    const place = placeWith("home", 0o701);
    const { context } = recordingContext(place);
    expect(await homeChecks(context, "check")).toEqual([
      {
        about: "home",
        status: "warning",
        finding: { code: "homeOpen", given: [place.home, "0701"] },
        hint: { code: "closeHome", given: [place.home] },
        fixable: true,
      },
      space,
    ]);
    expect(await homeChecks(context, "fix")).toEqual([
      { about: "home", status: "fixed", finding: { code: "homeClosed", given: [place.home] } },
      space,
    ]);
    expect(statSync(place.home).mode & 0o777).toBe(0o700);
  });

  it("names all four digits of the mode of a home that is open to everyone", async () => {
    const place = placeWith("home", 0o1777);
    const [verdict] = await homeChecks(recordingContext(place).context, "check");
    expect(verdict?.finding).toEqual({ code: "homeOpen", given: [place.home, "1777"] });
  });

  it("is an error, and the only check, if the home is a file", async () => {
    const place = playground();
    writeFileSync(place.home, "");
    expect(await homeChecks(recordingContext(place).context, "check")).toEqual([
      {
        about: "home",
        status: "error",
        finding: { code: "homeNoFolder", given: [place.home] },
        hint: { code: "moveHome", given: [] },
      },
    ]);
  });

  it("is an error if the home would be below a file", async () => {
    const place = playground();
    writeFileSync(join(place.root, "file"), "", { mode: 0o600 });
    const home = join(place.root, "file", "home");
    expect(await homeChecks(recordingContext({ ...place, home }).context, "fix")).toEqual([
      {
        about: "home",
        status: "error",
        finding: { code: "homeUnwritable", given: [home] },
        hint: { code: "moveHome", given: [] },
      },
    ]);
  });

  it.runIf(process.geteuid?.() !== 0)("is an error if the user may not write to it", async () => {
    const place = placeWith("home", 0o500);
    expect(await homeChecks(recordingContext(place).context, "check")).toEqual([
      {
        about: "home",
        status: "error",
        finding: { code: "homeUnwritable", given: [place.home] },
        hint: { code: "moveHome", given: [] },
      },
    ]);
  });

  it.runIf(process.geteuid?.() === 0)("is why the home could not be made private", async () => {
    const place = placeWith("home", 0o777);
    chmodSync(place.root, 0o755);
    const { context } = recordingContext(place);
    expect(await asNobody(async () => homeChecks(context, "fix"))).toEqual([
      {
        about: "home",
        status: "error",
        finding: { code: "problem", problem: expect.stringContaining("EPERM") },
        hint: { code: "moveHome", given: [] },
      },
    ]);
  });
});

const NOBODY = 65_534;

/** Does the work as the user `nobody`, who may not change a folder of root. */
async function asNobody<Result>(work: () => Promise<Result>): Promise<Result> {
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

describe("the check of the free space", () => {
  it("asks the nearest folder that exists", async () => {
    const { root } = playground();
    expect(await spaceCheck(join(root, "not", "there", "yet"))).toEqual(space);
  });

  it.each([
    [200_000_000, { status: "ok", finding: "space", hint: [] }],
    [199_999_999, { status: "warning", finding: "littleSpace", hint: ["makeSpace"] }],
    [10_000_000, { status: "warning", finding: "littleSpace", hint: ["makeSpace"] }],
    [9_999_999, { status: "error", finding: "littleSpace", hint: ["makeSpace"] }],
  ])("of %i bytes ends with %j", (free, { status, finding, hint: [hint] }) => {
    expect(verdictOnSpace(free)).toEqual({
      about: "home",
      status,
      finding: { code: finding, given: [free] },
      ...(hint === undefined ? {} : { hint: { code: hint, given: [] } }),
    });
  });
});
