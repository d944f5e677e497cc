import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { performForget } from "../../../src/machine/forget/perform-forget.ts";
import { planForget } from "../../../src/machine/forget/plan-forget.ts";
import { createSession, holdSession, viewSession } from "../../../src/machine/open.ts";
import type { Session } from "../../../src/machine/session.ts";
import type { DraftOf } from "../../../src/record/entry.ts";
import type { SessionId } from "../../../src/record/ids.ts";
import { begin, codeOf, holding, linesOf, type Place, stores } from "../exchange/support.ts";

const SECRET = "sk-live-9f8e7d6c";
const request = { what: "text", text: SECRET } as const;

function host(hostSession: string, message: string): DraftOf<"host"> {
  return { kind: "host", host: "claude", hostSession, message };
}

function known(...hostSessions: readonly string[]) {
  return hostSessions.map((hostSession) => ({ host: "claude", hostSession }));
}

describe.each(stores)("forgetting where another agent was at work, in a store of $name", ({ open }) => {
  let place: Place;
  beforeEach(() => {
    place = open();
  });
  afterEach(async () => place.close());

  /** The host places from which a conversation can still be continued. */
  async function placesOf(session: SessionId): Promise<readonly (string | undefined)[]> {
    const view = await viewSession(place.deps.store, session);
    return (await view.entriesOf("host")).map(
      ({ hostSession, message }) => `${hostSession} ${message ?? "-"}`,
    );
  }

  /** A sub-agent that has read the secret, and its caller, which has not. */
  async function withSubAgent(): Promise<readonly [caller: Session, sub: Session]> {
    const caller = await begin(place.deps);
    await caller.prompt("look into it", host("sdk-1", "m1"));
    const task = { session: caller.id, call: "c1" };
    const wanted = { workspace: "/work/project", system: "", task };
    const sub = await createSession(place.deps, wanted, holding);
    await sub.prompt(`it is ${SECRET}`);
    await sub.close();
    return [caller, sub];
  }

  it("lets go of every place of that agent's, and says which of its sessions may know it", async () => {
    const session = await begin(place.deps);
    await session.prompt("harmless", host("sdk-1", "m1"));
    await session.prompt(`the key is ${SECRET}`, host("sdk-1", "m2"));
    await session.append(host("sdk-2", "m3"));
    const other = await begin(place.deps);
    await other.prompt("nothing here", host("sdk-3", "m4"));
    for (const each of [session, other]) await each.close();
    expect((await planForget(place.deps.store, request)).hostSessions).toEqual(known("sdk-1", "sdk-2"));
    expect(await placesOf(session.id)).toEqual(["sdk-1 m1", "sdk-1 m2", "sdk-2 m3"]);
    const report = await performForget(place.deps, request, holding);
    expect(report).toMatchObject({ hostSessions: known("sdk-1", "sdk-2"), left: [] });
    expect(report.sessions).toEqual([{ session: session.id, entries: 1, times: 1 }]);
    expect(await placesOf(session.id)).toEqual(["sdk-1 -", "sdk-1 -", "sdk-2 -"]);
    expect(await placesOf(other.id)).toEqual(["sdk-3 m4"]);
    const lines = await linesOf(place.deps.store, session.id);
    const changed = lines.filter(({ forgotten }) => forgotten !== undefined);
    expect(changed.map(({ kind, forgotten }) => `${kind} ${forgotten?.times}`)).toEqual([
      "host 1",
      "prompt 1",
      "host 1",
      "host 1",
    ]);
    expect(await place.deps.store.verify(session.id)).toEqual([]);
  });

  it("leaves a place that comes after it alone, until something else is forgotten", async () => {
    const session = await begin(place.deps);
    await session.prompt(SECRET, host("sdk-1", "m1"));
    await session.close();
    await performForget(place.deps, request, holding);
    const again = await holdSession(place.deps, session.id, holding);
    await again.prompt("go on", host("sdk-2", "m2"));
    await again.close();
    expect(await codeOf(performForget(place.deps, request, holding))).toBe("NOTHING_TO_FORGET");
    expect(await placesOf(session.id)).toEqual(["sdk-1 -", "sdk-2 m2"]);
  });

  it("never names a session of that agent's whose name held the text", async () => {
    const session = await begin(place.deps);
    await session.prompt("p", host(SECRET, "m1"));
    await session.close();
    expect((await performForget(place.deps, request, holding)).hostSessions).toEqual([]);
  });

  it("also lets go of the places of a caller whose sub-agent knew it, and changes nothing else there", async () => {
    const [caller, sub] = await withSubAgent();
    await caller.close();
    const before = await linesOf(place.deps.store, caller.id);
    expect(await planForget(place.deps.store, request)).toMatchObject({
      mayKnow: [caller.id],
      hostSessions: known("sdk-1"),
    });
    const report = await performForget(place.deps, request, holding);
    expect(report.sessions).toMatchObject([{ session: sub.id }]);
    expect(report.hostSessions).toEqual(known("sdk-1"));
    expect(await placesOf(caller.id)).toEqual(["sdk-1 -"]);
    const after = await linesOf(place.deps.store, caller.id);
    expect(after.filter(({ kind }) => kind !== "host")).toEqual(before.filter(({ kind }) => kind !== "host"));
  });

  it("changes nothing while the caller is in use", async () => {
    const [caller, sub] = await withSubAgent();
    const before = await linesOf(place.deps.store, sub.id);
    expect(await codeOf(performForget(place.deps, request, holding))).toBe("SESSION_HELD");
    expect(await linesOf(place.deps.store, sub.id)).toEqual(before);
    await caller.close();
  });

  it("does the same in the trash", async () => {
    const session = await begin(place.deps);
    await session.prompt(SECRET, host("sdk-1", "m1"));
    await session.close();
    await place.deps.store.trash(session.id, 5_000);
    expect((await performForget(place.deps, request, holding)).hostSessions).toEqual(known("sdk-1"));
    await place.deps.store.undelete(session.id);
    expect(await placesOf(session.id)).toEqual(["sdk-1 -"]);
  });
});
