import { rmSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { ownSession } from "../../src/app/sessions/own-session.ts";
import { provideSessionDeps } from "../../src/app/sessions/store.ts";
import { type WatchEvent, watchWorkspace } from "../../src/app/watch-workspace.ts";
import { holdSession } from "../../src/machine/open.ts";
import { agentWorks, type Workshop, workshop } from "../cli/support/workshop.ts";
import { contextAt, interrupts } from "./support/context-at.ts";

const settings = { "watch.quietMs": "50", "watch.maxMs": "100", "lock.waitMs": "0" };

interface Watching {
  readonly place?: Workshop;
  readonly session?: string;
  readonly settings?: Record<string, string>;
  /** What happens after each event. `end` ends the watch as Ctrl-C does. */
  readonly after: (event: WatchEvent, end: () => void) => void | Promise<void>;
}

/** Watches a workspace until the test ends the watch. Problems are reduced to their codes. */
async function watching({ place = workshop(), session, settings: more, after }: Watching) {
  const { onInterrupt, interrupt, listening } = interrupts();
  const { context, notices, progress } = contextAt(place, {
    common: { session, settings: { ...settings, ...more } },
    surroundings: { onInterrupt },
  });
  const events: unknown[] = [];
  const watched = await watchWorkspace(context, (event) => {
    events.push(event.code === "trouble" ? { ...event, problem: event.problem.code } : event);
    void after(event, interrupt);
  });
  return { ...place, context, notices, progress, watched, events, listening: listening() };
}

const captured = (number: number) => ({ number, state: "complete", snapshot: expect.any(String) });

describe("watching a workspace", () => {
  it("makes a checkpoint of each state in the workspace's own session until it is asked to end", async () => {
    const place = workshop();
    place.put("a.txt", "one\n");
    const { watched, events, notices, progress, workspace, listening } = await watching({
      place,
      after: (event, end) => {
        if (event.code === "watching") place.put("a.txt", "two\n");
        if (event.code !== "checkpoint" || event.checkpoint.number !== 2) return;
        // The change right before the end is captured too.
        place.put("b.txt", "b\n");
        end();
      },
    });
    const { session } = watched;
    expect(watched).toEqual({ session, ended: "asked", checkpoints: 3 });
    const changed = (path: string) => [expect.objectContaining({ path })];
    expect(events).toEqual([
      { code: "checkpoint", session, checkpoint: captured(1) },
      { code: "watching", session, workspace },
      { code: "checkpoint", session, checkpoint: { ...captured(2), changes: changed("a.txt") } },
      { code: "checkpoint", session, checkpoint: { ...captured(3), changes: changed("b.txt") } },
    ]);
    expect(notices).toEqual([{ code: "session-created", session }]);
    expect(progress.slice(0, -1).filter((each) => each === "done")).toEqual(["done"]);
    expect(progress[0]).toMatchObject({ doing: "capture", phase: "looking" });
    expect(listening).toBe(0);
    const { checkpoints } = await place.data("checkpoints");
    expect(checkpoints.map(({ on, files }: Record<string, unknown>) => [on, files])).toEqual(
      [3, 2, 1].map(() => ["manual", expect.objectContaining({ state: "complete" })]),
    );
  });

  it("says that nothing has changed since the last state on the timeline", async () => {
    const place = workshop();
    const { session } = await place.data("checkpoint");
    const { watched, events, workspace } = await watching({
      place,
      after: ({ code }, end) => (code === "watching" ? end() : undefined),
    });
    expect(watched).toEqual({ session, ended: "asked", checkpoints: 0 });
    expect(events).toEqual([{ code: "known" }, { code: "watching", session, workspace }]);
  });

  it("ends without a checkpoint if it is interrupted before the first check is complete", async () => {
    const place = workshop();
    place.put("a.txt", "one\n");
    const { onInterrupt, interrupt } = interrupts();
    const { context, progress } = contextAt(place, {
      common: { settings },
      surroundings: {
        onInterrupt: (listener) => {
          const release = onInterrupt(listener);
          interrupt("SIGTERM");
          return release;
        },
      },
    });
    expect(await watchWorkspace(context, () => expect.unreachable())).toEqual({
      session: expect.any(String),
      ended: "cut",
      checkpoints: 0,
    });
    expect(progress.at(-1)).toBe("done");
  });

  it("does not check again if it is interrupted twice", async () => {
    const place = workshop();
    place.put("a.txt", "one\n");
    const { watched } = await watching({
      place,
      after: ({ code }, end) => {
        if (code !== "watching") return;
        place.put("b.txt", "b\n");
        end();
        end();
      },
    });
    expect(watched).toMatchObject({ ended: "asked", checkpoints: 1 });
  });

  it("works in the session that is named, and in that session's workspace", async () => {
    const place = workshop();
    const session = await agentWorks(place, () => place.put("a.txt", "one\n"), "new");
    const other = { ...place, workspace: place.root };
    const { watched, events } = await watching({
      place: other,
      session,
      after: ({ code }, end) => (code === "watching" ? end() : undefined),
    });
    expect(watched).toEqual({ session, ended: "asked", checkpoints: 1 });
    expect(events).toMatchObject([
      { code: "checkpoint" },
      { code: "watching", session, workspace: place.workspace },
    ]);
  });

  it("creates no session if files are not captured, or for a session that is unknown", async () => {
    const place = workshop();
    const after = () => expect.unreachable();
    const off = watching({ place, settings: { enableFileCheckpointing: "false" }, after });
    await expect(off).rejects.toMatchObject({ reason: "checkpointing-off" });
    await expect(watching({ place, session: "nobody", after })).rejects.toMatchObject({
      code: "SESSION_UNKNOWN",
    });
    expect(await place.data("sessions list --all")).toMatchObject({ sessions: [] });
  });
});

describe("a problem while a workspace is watched", () => {
  it("is reported once while it persists, and does not end the watch", async () => {
    const place = workshop();
    place.put("a.txt", "one\n");
    const { context } = contextAt(place);
    const deps = await provideSessionDeps(context);
    const { id } = await ownSession(context, deps, "test");
    const { watched, events, workspace } = await watching({
      place,
      after: async (event, end) => {
        if (event.code === "watching") {
          const held = await holdSession(deps, id, { name: "the holder" });
          place.put("a.txt", "two\n");
          setTimeout(() => void held.close(), 500);
        }
        if (event.code === "checkpoint" && event.checkpoint.number === 2) end();
      },
    });
    expect(watched).toEqual({ session: id, ended: "asked", checkpoints: 2 });
    expect(events).toMatchObject([
      { code: "checkpoint", checkpoint: { number: 1 } },
      { code: "watching", session: id, workspace },
      { code: "trouble", problem: "SESSION_HELD" },
      { code: "checkpoint", checkpoint: { number: 2, changes: [{ path: "a.txt" }] } },
    ]);
  });

  it("is named in the result if the last check failed too", async () => {
    const place = workshop();
    place.put("a.txt", "one\n");
    const { watched, events, workspace } = await watching({
      place,
      after: ({ code }, end) => {
        if (code === "watching") rmSync(place.workspace, { recursive: true });
        if (code === "trouble") end();
      },
    });
    const { session } = watched;
    expect(watched).toEqual({ session, ended: "uncaptured", checkpoints: 1 });
    expect(events).toEqual([
      { code: "checkpoint", session, checkpoint: captured(1) },
      { code: "watching", session, workspace },
      { code: "trouble", problem: "WORKSPACE_UNUSABLE" },
    ]);
  });

  it("ends the watch if the first check fails", async () => {
    const place = workshop();
    const { context } = contextAt(place);
    const deps = await provideSessionDeps(context);
    const { id } = await ownSession(context, deps, "test");
    const held = await holdSession(deps, id, { name: "the holder" });
    onTestFinished(async () => held.close());
    place.put("a.txt", "one\n");
    await expect(watching({ place, after: () => expect.unreachable() })).rejects.toMatchObject({
      code: "SESSION_HELD",
    });
  });
});
