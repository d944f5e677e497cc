import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { forget, type PlannedForget, removesNothing } from "../../../src/app/forget/forget.ts";
import type { GivenToForget } from "../../../src/app/forget/forget-request.ts";
import { typedHistory } from "../../../src/app/places/home.ts";
import { realDisk } from "../../../src/disk/disk.ts";
import { realProcesses } from "../../../src/disk/lock-owner.ts";
import { systemClock } from "../../../src/disk/system-clock.ts";
import { openSession } from "../../../src/open-session.ts";
import { snapshotPlaces } from "../../../src/snapshots/context.ts";
import { acquireShared } from "../../../src/snapshots/keeping/shared-lease.ts";
import { playground } from "../../cli/support/command-line.ts";
import { frameOf } from "../../cli/support/frame-of.ts";
import { filesOpenIn } from "../../support/files-open-in.ts";

const SECRET = "hunter2-hunter2";
const HOST_SESSION = "0b6b0d1e-3c5e-4c0a-9d6b-5a2f3e4d5c6b";
const inHome = { typed: 0, outputs: 0, others: [], unreadable: [], databases: [] };
const inFiles = {
  ...{ contents: 0, snapshots: 0, places: [], inWorkspace: [] },
  ...{ inNames: 0, labels: 0, unreadable: 0, unlisted: [] },
};

/** A home without sessions, and `forget` in it. */
function stage() {
  const place = playground();
  const { home, workspace, root } = place;
  const claude = join(root, "claude");
  return {
    ...place,
    claude,
    /** Writes a session whose agent was told `text`, perhaps by a host that keeps its own files. */
    tell: async (text: string, host: "native" | "claude" | "other" = "native") => {
      const session = await openSession({ home, workspace, files: "off" });
      const kind = { kind: "host", host, hostSession: HOST_SESSION, message: HOST_SESSION } as const;
      await session.prompt(text, ...(host === "native" ? [] : [kind]));
      await session.close();
      return session.id;
    },
    forget: async (
      text: string,
      decision: "forget" | "keep" = "forget",
      given: Partial<GivenToForget> = {},
    ) => {
      const seen: unknown[] = [];
      const frame = frameOf(place, { environment: { CLAUDE_CONFIG_DIR: claude } });
      const readPiped = async () => Buffer.alloc(0);
      const done = forget(frame, {
        given: { argument: undefined, text, path: undefined, readPiped, ...given },
        onSearch: (state) => seen.push(state),
        decide: async (plan) => {
          seen.push(plan);
          return decision;
        },
      });
      return { seen, result: await done.catch((error: unknown) => error) };
    },
  };
}

describe("forgetting a text", () => {
  it("is planned and decided on, and done everywhere only if the user agrees", async () => {
    const { home, tell, forget, claude, everything } = stage();
    const session = await tell(`use ${SECRET}`);
    await tell("nothing");
    await typedHistory(home, "/work").add(SECRET);
    const outputs = join(home, "outputs", session);
    mkdirSync(outputs, { recursive: true });
    writeFileSync(join(outputs, "c1.txt"), "what a tool said");
    const request = { what: "text", text: SECRET };
    const findings = [{ session, entries: 1, times: 1 }];
    const plan = {
      ...{ request, findings, inTrash: [], unseen: [], mayKnow: [], hostSessions: [] },
      ...{ files: inFiles, inHome: { ...inHome, typed: 1 } },
    };
    const kept = { home: claude, sessions: [], paths: [] };
    const before = everything();
    expect(await forget(SECRET, "keep")).toEqual({ seen: ["begun", "ended", plan], result: { plan, kept } });
    expect(everything()).toEqual(before);
    expect(await forget(SECRET)).toEqual({
      seen: ["begun", "ended", plan],
      result: {
        plan,
        kept,
        done: {
          report: {
            ...{ sessions: findings, inTrash: [], left: [], keptInTrash: [], unseen: [], hostSessions: [] },
            files: expect.objectContaining({ ...inFiles, erased: 0, left: [] }),
          },
          inHome: { ...inHome, typed: 1 },
          changed: true,
        },
      },
    });
    const log = readFileSync(join(home, "sessions", session, "log.jsonl"), "utf8");
    expect([log.includes(SECRET), log.includes("[forgotten]")]).toEqual([false, true]);
    expect(await typedHistory(home, "/work").read()).toEqual([]);
    expect(existsSync(outputs)).toBe(false);
    expect(filesOpenIn(home)).toEqual([]);
  });

  it("includes the trash, with the long outputs of the sessions there", async () => {
    const { home, tell, forget, worldline } = stage();
    const session = await tell(`use ${SECRET}`);
    await worldline(`sessions delete ${session} --yes`);
    const outputs = join(home, "outputs", session);
    mkdirSync(outputs, { recursive: true });
    writeFileSync(join(outputs, "c1.txt"), "what a tool said");
    expect((await forget(SECRET)).result).toMatchObject({
      plan: { findings: [], inTrash: [session] },
      done: { report: { sessions: [], inTrash: [{ session, entries: 1, times: 1 }] }, changed: true },
    });
    expect(existsSync(outputs)).toBe(false);
  });

  it("waits for a program that uses the snapshots, as long as the settings say", async () => {
    const { home, workspace, forget, files, write } = stage();
    writeFileSync(join(workspace, `named-${SECRET}.txt`), "");
    const session = await openSession({ home, workspace, files: "on" });
    await session.checkpoint("before");
    await session.close();
    write("user", `{ "lock": { "waitMs": 1 } } // ${SECRET}`);
    expect((await forget(SECRET)).result).toMatchObject({
      done: { report: { files: { inNames: 1 } }, inHome: { others: [files.user] }, changed: false },
    });
    writeFileSync(join(workspace, "held.txt"), SECRET);
    const again = await openSession({ home, workspace, files: "on" });
    await again.checkpoint("again");
    await again.close();
    const deps = { disk: realDisk, clock: systemClock, processes: realProcesses(home) };
    const lease = await acquireShared(deps, snapshotPlaces(home).leases, { name: "a capture", waitMs: 0 });
    expect((await forget(SECRET)).result).toMatchObject({ message: expect.stringContaining("a capture") });
    await lease.release();
    expect((await forget(SECRET)).result).toMatchObject({
      done: { report: { files: { erased: 1 } }, changed: true },
    });
    expect(filesOpenIn(home)).toEqual([]);
  });

  it("is an error if the text is nowhere, and the search ends even if the request is refused", async () => {
    const { tell, forget } = stage();
    await tell("nothing");
    const { result } = await forget(SECRET);
    expect(result).toMatchObject({ reason: "forget-text-nowhere" });
    expect(await forget("abc")).toEqual({
      seen: ["begun", "ended"],
      result: expect.objectContaining({ reason: "forget-text-short" }),
    });
  });

  it("is no error if the text is only in the home, even if only the user can remove it", async () => {
    const { home, forget, files, write } = stage();
    await typedHistory(home, "/work").add(SECRET);
    expect((await forget(SECRET)).result).toMatchObject({
      done: { report: { sessions: [] }, inHome: { ...inHome, typed: 1 }, changed: true },
    });
    write("user", `// ${SECRET}`);
    expect((await forget(SECRET)).result).toMatchObject({
      done: { inHome: { ...inHome, others: [files.user] }, changed: false },
    });
  });
});

describe("the files of other agents that were told the text", () => {
  it("are named only if Claude was told it, before and after", async () => {
    const { tell, forget, claude } = stage();
    await tell(`use ${SECRET}`, "claude");
    const project = join(claude, "projects", "-work");
    mkdirSync(project, { recursive: true });
    const transcript = join(project, `${HOST_SESSION}.jsonl`);
    writeFileSync(transcript, SECRET);
    const kept = { home: claude, sessions: [HOST_SESSION], paths: [transcript] };
    expect((await forget(SECRET, "keep")).result).toMatchObject({ kept });
    expect((await forget(SECRET)).result).toMatchObject({ kept, done: { changed: true } });
    expect(readFileSync(transcript, "utf8")).toBe(SECRET);
    const other = stage();
    await other.tell(`use ${SECRET}`, "other");
    expect((await other.forget(SECRET, "keep")).result).toMatchObject({
      plan: { hostSessions: [{ host: "other", hostSession: HOST_SESSION }] },
      kept: { home: other.claude, sessions: [], paths: [] },
    });
  });
});

describe("a plan", () => {
  it("removes nothing unless it finds something that can be removed", async () => {
    const request = { what: "text", text: SECRET } as const;
    const plan: PlannedForget = {
      ...{
        request,
        findings: [],
        inTrash: [],
        unseen: [],
        mayKnow: [],
        hostSessions: [],
        files: inFiles,
        inHome,
      },
    };
    const finding = { session: "k3f9x2m7q1", entries: 1, times: 1 } as PlannedForget["findings"][number];
    const plans: readonly PlannedForget[] = [
      plan,
      { ...plan, unseen: [finding.session], inHome: { ...plan.inHome, others: ["a"] } },
      { ...plan, files: { ...plan.files, inNames: 1 } },
      { ...plan, findings: [finding] },
      { ...plan, inTrash: [finding.session] },
      { ...plan, files: { ...plan.files, contents: 1 } },
      { ...plan, files: { ...plan.files, labels: 1 } },
      { ...plan, inHome: { ...plan.inHome, typed: 1 } },
      { ...plan, findings: [finding], inHome: { ...plan.inHome, outputs: 1 } },
      { ...plan, findings: [finding], inTrash: [finding.session] },
      { ...plan, inTrash: [finding.session], files: { ...plan.files, contents: 1 } },
      { ...plan, files: { ...plan.files, contents: 1, labels: 1 } },
    ];
    expect(plans.map(removesNothing)).toEqual(plans.map((_, index) => index < 3));
  });
});
