import { describe, expect, it } from "vitest";
import { chosenOrNewSession, ownSession } from "../../../src/app/sessions/own-session.ts";
import { openSessionDeps } from "../../../src/app/sessions/store.ts";
import { viewSession } from "../../../src/machine/open.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { sessionNumber } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";
import { recordingContext } from "../support/recording-context.ts";
import { writeForeign, writeSession } from "../support/write-session.ts";

async function opened(place = playground(), session?: string) {
  const recorded = recordingContext(place, { common: { session } });
  const deps = await openSessionDeps(recorded.context);
  return { ...place, ...recorded, deps };
}

describe("a workspace's own session", () => {
  it("is created once, and is not the session of an agent", async () => {
    const { context, deps, notices, workspace, ...place } = await opened();
    await writeSession({ ...place, workspace });
    const own = await ownSession(context, deps, "worldline watch");
    expect(own).toEqual({ id: expect.any(String), workspace, seen: 2 });
    const { header } = await viewSession(deps.store, own.id);
    expect({ mode: header.mode, workspace: header.workspace }).toEqual({ mode: "workspace", workspace });
    expect(await deps.store.holder(own.id)).toBeUndefined();
    expect(await ownSession(context, deps, "worldline watch")).toEqual(own);
    expect(notices).toEqual([{ code: "session-created", session: own.id }]);
  });

  it("is the one that the user named, if it may be used", async () => {
    const place = playground();
    const other = await writeSession({ ...place, workspace: place.root });
    const { context, deps, notices } = await opened(place, other);
    const { outline } = await viewSession(deps.store, other);
    expect(await ownSession(context, deps, "worldline watch")).toEqual({
      id: other,
      workspace: place.root,
      seen: outline.nextSeq,
    });
    expect(notices).toEqual([]);
    const foreign = await writeForeign(place, sessionNumber(1));
    const unconfirmed = await opened(place, foreign);
    await expect(ownSession(unconfirmed.context, deps, "worldline watch")).rejects.toEqual(
      new WorldlineError("session-unconfirmed", { session: foreign }, { session: foreign }),
    );
  });
});

describe("the session for a new checkpoint", () => {
  it("is the one that was last used, or a new one", async () => {
    const place = playground();
    const { context, deps, notices, workspace } = await opened(place);
    const made = await chosenOrNewSession(context, deps, "worldline checkpoint");
    expect(made).toEqual({ id: expect.any(String), workspace, began: "now" });
    expect(await chosenOrNewSession(context, deps, "worldline checkpoint")).toEqual({
      ...made,
      began: "before",
    });
    expect(notices.map(({ code }) => code)).toEqual(["session-created", "session-chosen"]);
  });
});
