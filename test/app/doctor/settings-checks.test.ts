import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeChecks, settingsChecks, versionChecks } from "../../../src/app/doctor/settings-checks.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { playground } from "../../cli/support/command-line.ts";
import { recordingContext } from "../support/recording-context.ts";

type Given = Parameters<typeof recordingContext>[1];

const valid = (count: number) => ({
  about: "settings",
  status: "ok",
  finding: { code: "settingsValid", given: [count] },
});
const fault = (words: string) => ({
  about: "settings",
  status: "error",
  finding: {
    code: "problem",
    problem: expect.objectContaining({
      name: "WorldlineError",
      message: expect.stringContaining(words),
    }),
  },
});

async function check(place: ReturnType<typeof playground>, given: Given = {}) {
  const { checks, values } = await settingsChecks(recordingContext(place, given).context);
  return { checks, days: values?.["trash.days"] };
}

describe("the check of the settings", () => {
  it("counts the files that are valid, and returns the settings in effect", async () => {
    const place = playground();
    place.write("user", '{ "trash": { "days": 7 } }');
    place.write("local", "{}");
    expect(await check(place)).toEqual({ checks: [valid(2)], days: 7 });
  });

  it("warns of settings that have no effect", async () => {
    const place = playground();
    place.write("user", '{ "lok": 1 }');
    expect(await check(place)).toEqual({
      checks: [
        {
          about: "settings",
          status: "warning",
          finding: {
            code: "setting",
            warning: {
              about: "unknown-key",
              key: { name: "lok", file: place.files.user, line: 1, column: 3, suggestion: undefined },
            },
          },
        },
      ],
      days: 30,
    });
  });

  it("reports each invalid file, variable and option, and returns no settings", async () => {
    const place = playground();
    place.write("user", '{ "lock": { "waitMs": "long" } }');
    place.write("workspace", "{}");
    place.write("local", "no JSON");
    const given = {
      environment: { WORLDLINE_TRASH_DAYS: "many" },
      common: { settings: { "lock.leaseMs": "short" } },
    };
    expect(await check(place, given)).toEqual({
      checks: [
        fault(`${place.files.user}:1:23:`),
        fault(`${place.files.local}:1:`),
        fault("WORLDLINE_TRASH_DAYS"),
        fault("lock.leaseMs"),
      ],
      days: undefined,
    });
  });

  it("checks the user's own settings even if the folder cannot be a workspace", async () => {
    const place = playground();
    place.write("user", '{ "lock": { "waitMs": "long" } }');
    const nowhere = join(place.root, "nowhere");
    expect(await check(place, { common: { workspace: nowhere } })).toEqual({
      checks: [fault(nowhere), fault(`${place.files.user}:1:23:`)],
      days: undefined,
    });
  });
});

describe("the check of the settings of a folder", () => {
  it("hides no error that is not Worldline's", async () => {
    const { context } = recordingContext(playground());
    const bug = new TypeError("broken");
    const workspace = () => Promise.reject(bug);
    await expect(settingsChecks({ ...context, workspace })).rejects.toBe(bug);
  });
});

describe("the check of the version of Node", () => {
  it.each([
    ["18.99.0", "too old"],
    ["20.18.9", "too old"],
    ["20.19.0", "new enough"],
    ["22.0.0", "new enough"],
    ["21.18.0", "new enough"],
  ])("finds %s %s", (node, age) => {
    expect(versionChecks("1.2.3", node)).toEqual([
      {
        about: "versions",
        status: "ok",
        finding: { code: "versions", given: ["1.2.3", node, `${process.platform} ${process.arch}`] },
      },
      ...(age === "new enough"
        ? []
        : [
            {
              about: "versions",
              status: "error",
              finding: { code: "nodeTooOld", given: [node, "20.19"] },
              hint: { code: "updateNode", given: [] },
            },
          ]),
    ]);
  });
});

const NAME = "@anthropic-ai/claude-agent-sdk";

/** A folder with a package that claims to be this version of the SDK. */
function withSdk(version: string) {
  const { root } = playground();
  const folder = join(root, "sdk");
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: NAME, version }));
  return folder;
}

describe("the check of the Claude Agent SDK", () => {
  it.each([
    ["0.3.325", { status: "ok", code: "sdkReady" }],
    ["99.0.0", { status: "note", code: "sdkUnknown" }],
  ])("says of version %s whether it was tested", async (version, { status, code }) => {
    const folder = withSdk(version);
    for (const host of ["native", "claude"] as const)
      expect(await claudeChecks({ host, "claude.sdk": folder })).toEqual([
        { about: "versions", status, finding: { code, given: [version, folder] } },
      ]);
  });

  it.each([
    ["native", "warning"],
    ["claude", "error"],
  ] as const)(
    "reports a version that is too old; with the host %s, this is a(n) %s",
    async (host, status) => {
      const folder = withSdk("0.0.1");
      expect(await claudeChecks({ host, "claude.sdk": folder })).toEqual([
        {
          about: "versions",
          status,
          finding: { code: "problem", problem: expect.objectContaining({ reason: "sdk-too-old" }) },
        },
      ]);
    },
  );

  it("says that the SDK is missing only if the settings need it", async () => {
    const { root } = playground();
    expect(await claudeChecks({ host: "native", "claude.sdk": root })).toEqual([]);
    expect(await claudeChecks({ host: "claude", "claude.sdk": root })).toEqual([
      {
        about: "versions",
        status: "error",
        finding: { code: "problem", problem: expect.objectContaining({ reason: "sdk-absent" }) },
      },
    ]);
  });

  it("rejects a folder that depends on the current one", async () => {
    expect(await claudeChecks({ host: "native", "claude.sdk": "sdk" })).toEqual([
      {
        about: "versions",
        status: "warning",
        finding: { code: "problem", problem: new WorldlineError("sdk-folder-relative", { folder: "sdk" }) },
      },
    ]);
  });

  it("hides no error that is not Worldline's", async () => {
    await expect(claudeChecks({ host: "native", "claude.sdk": 1 as never })).rejects.toThrow(TypeError);
  });
});
