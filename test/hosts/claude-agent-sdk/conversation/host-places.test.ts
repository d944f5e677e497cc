import { describe, expect, it } from "vitest";
import {
  type HostPlace,
  hostPlacesOn,
} from "../../../../src/hosts/claude-agent-sdk/conversation/position.ts";
import { performForget } from "../../../../src/machine/forget/perform-forget.ts";
import { forkSession } from "../../../../src/machine/journeys/fork.ts";
import { holdSession, viewSession } from "../../../../src/machine/open.ts";
import type { SessionView } from "../../../../src/machine/view.ts";
import { begin, holding, openSessionDeps, step } from "../../../machine/deps.ts";
import { host, hostTurn, nearestPlace } from "./support.ts";

async function places(view: SessionView): Promise<HostPlace[]> {
  const found: HostPlace[] = [];
  for await (const place of hostPlacesOn(view, "claude")) found.push(place);
  return found;
}

describe("the places of a host on a branch", () => {
  it("are those that say how far it got, nearest first", async () => {
    const session = await begin(openSessionDeps());
    await hostTurn(session, "one");
    await session.append({ kind: "host", host: "other", hostSession: "x", message: "y" });
    await session.append({ kind: "host", host: "claude", hostSession: "sdk-2" });
    expect(await places(session)).toEqual([
      { seq: 12, hostSession: "sdk-1", message: "one-answered", origin: "own" },
      { seq: 9, hostSession: "sdk-1", message: "one-results", origin: "own" },
      { seq: 4, hostSession: "sdk-1", message: "one-asked", origin: "own" },
    ]);
  });

  it("are none if there was no other agent", async () => {
    const session = await begin(openSessionDeps());
    await session.prompt("one");
    expect(await places(session)).toEqual([]);
  });

  it("are never texts that could be taken for something else than a name", async () => {
    const session = await begin(openSessionDeps());
    for (const name of ["--model", "../../secret", "a b", ""]) {
      await session.append(host(name));
      await session.append(host("m", name));
    }
    expect(await places(session)).toEqual([]);
  });

  it("are those of the branch of the head alone", async () => {
    const session = await begin(openSessionDeps());
    await hostTurn(session, "one");
    await hostTurn(session, "two");
    await session.rewind(4);
    expect((await nearestPlace(session))?.message).toBe("one-answered");
  });

  it("are all there in a long session, of which the nearest is read alone", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    for (let turn = 0; turn < 70; turn += 1) await session.prompt(`${turn}`, host(`m${turn}`));
    for (let times = 0; times < 50; times += 1) await step(session, "native");
    deps.reads.lines = 0;
    expect((await nearestPlace(session))?.message).toBe("m69");
    expect(deps.reads.lines).toBe(1);
    expect((await places(session)).map(({ message }) => message)).toEqual(
      Array.from({ length: 70 }, (_, index) => `m${69 - index}`),
    );
  });

  it("are copies in a fork if the source continues in the same session of the host", async () => {
    const deps = openSessionDeps();
    const source = await begin(deps);
    await hostTurn(source, "one");
    const fork = await holdSession(deps, await forkSession(deps, source), holding);
    await fork.prompt("two", host("two-asked", "sdk-2"));
    expect((await places(fork)).map(({ origin, message }) => `${origin} ${message}`)).toEqual([
      "own two-asked",
      "copied one-answered",
      "copied one-results",
      "copied one-asked",
    ]);
  });

  it("are copies in a fork of a head that was not copied", async () => {
    const deps = openSessionDeps();
    const source = await begin(deps);
    await hostTurn(source, "one");
    await source.retitle("One");
    const fork = await viewSession(deps.store, await forkSession(deps, source));
    expect(new Set((await places(fork)).map(({ origin }) => origin))).toEqual(new Set(["copied"]));
  });

  it("are no longer those whose names the owner had forgotten", async () => {
    const deps = openSessionDeps();
    const session = await begin(deps);
    await session.prompt("one", host("message-with-a-secret"));
    await session.close();
    const request = { what: "text", text: "a-secret" } as const;
    await performForget(deps, request, holding);
    expect(await places(await viewSession(deps.store, session.id))).toEqual([]);
  });
});
