import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  confirmationNeed,
  confirmByUser,
  confirmSession,
  sessionClaims,
} from "../../../src/app/sessions/confirm-session.ts";
import { openStore } from "../../../src/app/sessions/store.ts";
import { viewSession } from "../../../src/machine/open.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import { openMemoryStore } from "../../../src/stores/memory.ts";
import { Story, sessionNumber } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";
import { recordingContext } from "../support/recording-context.ts";
import { writeForeign, writeSession } from "../support/write-session.ts";

const session = sessionNumber(1);

/** A session from elsewhere, which claims to have worked in a folder of its own. */
async function foreign() {
  const place = playground();
  const claimed = join(place.root, "claimed");
  mkdirSync(claimed);
  await writeForeign({ home: place.home, workspace: claimed }, session);
  const { context, ...recorded } = recordingContext(place);
  const header = async () => (await viewSession(openStore(context), session)).header;
  return { ...place, ...recorded, context, claimed, header };
}

describe("a session from elsewhere", () => {
  it("claims what the user reads before confirming it", async () => {
    const place = await foreign();
    const { context, claimed, workspace } = place;
    const claims = await sessionClaims(context, await viewSession(openStore(context), session));
    expect(claims).toEqual({ session, title: "", imported: undefined, store: "files", claimed, workspace });
    const own = await writeSession(place, { text: "find the leak" });
    expect(await sessionClaims(context, await viewSession(openStore(context), own))).toEqual({
      ...claims,
      session: own,
      claimed: "",
    });
  });

  it("needs to be confirmed once for each folder, unlike a session of this home", async () => {
    const place = await foreign();
    const { context, claimed, workspace, root } = place;
    const need = async (wanted: string, from = context) => {
      const { view, ...rest } = await confirmationNeed(from, wanted);
      return { id: view.id, ...rest };
    };
    expect(await need(session.slice(0, 9))).toEqual({ id: session, claimed, workspace, state: "needed" });
    await confirmByUser(context, session, async () => undefined);
    expect(await need(session)).toEqual({ id: session, claimed, workspace, state: "given" });
    const elsewhere = recordingContext({ home: place.home, workspace: root }).context;
    expect(await need(session, elsewhere)).toEqual({
      id: session,
      claimed,
      workspace: root,
      state: "needed",
    });
    const own = await writeSession(place);
    expect(await need(own, elsewhere)).toEqual({
      id: own,
      claimed: workspace,
      workspace: root,
      state: "own",
    });
  });

  it("gets the workspace and the system prompt of this home when the user confirms it", async () => {
    const { context, workspace, header, claimed } = await foreign();
    writeFileSync(join(workspace, "AGENTS.md"), "Use tabs.");
    const asked: unknown[] = [];
    await confirmByUser(context, session, async (claims) => {
      asked.push(claims.claimed, (await header()).confirmation?.state);
    });
    expect(asked).toEqual([claimed, "needed"]);
    const confirmed = await header();
    expect(confirmed).toMatchObject({
      workspace,
      system: expect.stringContaining("Use tabs."),
      confirmation: { state: "given" },
    });
    expect(confirmed.system).not.toContain("You are a helpful agent.");
  });

  it("stays as it is if the user refuses", async () => {
    const { context, header, everything } = await foreign();
    const before = everything();
    const refused = new WorldlineError("cancelled", { left: "unwritten" });
    await expect(confirmByUser(context, session, () => Promise.reject(refused))).rejects.toBe(refused);
    expect((await header()).confirmation?.state).toBe("needed");
    expect(everything()).toEqual(before);
  });

  it("has no system prompt if it is not an agent's", async () => {
    const place = playground();
    const store = openMemoryStore();
    const story = new Story(session);
    await store.create({ ...story.begin(), mode: "workspace", system: "" });
    const confirmed: unknown[] = [];
    const keeping = Object.assign(Object.create(store), {
      confirm: async (...given: readonly unknown[]) => confirmed.push(...given),
    });
    const { context } = recordingContext(place);
    await confirmSession(context, keeping, await viewSession(store, session));
    expect(confirmed).toEqual([session, { workspace: place.workspace, system: "" }]);
    await expect(confirmSession(context, store, await viewSession(store, session))).rejects.toEqual(
      new WorldlineError("confirmation-not-needed", {}),
    );
  });

  it("is not shown to the user if the home's key cannot be used", async () => {
    const problem = new WorldlineError("stated", { code: "HOME_KEY_UNUSABLE", message: "It is lost." });
    const store = openMemoryStore();
    await store.create(new Story(session).begin());
    store.checkKey = () => {
      throw problem;
    };
    const place = playground();
    const { context } = recordingContext(place, { store });
    const asked: unknown[] = [];
    const ask = async (claims: unknown) => void asked.push(claims);
    await expect(confirmByUser(context, session, ask)).rejects.toBe(problem);
    expect([asked, place.everything()]).toEqual([[], [["/workspace", "(folder)"]]]);
    delete store.checkKey;
    await expect(confirmByUser(context, session, ask)).rejects.toEqual(
      new WorldlineError("confirmation-not-needed", {}),
    );
    expect([asked.length, place.everything().map(([path]) => path)]).toEqual([1, ["/home", "/workspace"]]);
  });
});
