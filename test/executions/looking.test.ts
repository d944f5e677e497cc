import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/disk/system-clock.ts";
import { performForget } from "../../src/machine/forget/perform-forget.ts";
import { viewSession } from "../../src/machine/open.ts";
import { searchSession } from "../../src/machine/queries/search.ts";
import { summarise } from "../../src/machine/queries/sessions.ts";
import type { SessionView } from "../../src/machine/view.ts";
import { openExecution } from "../../src/open-execution.ts";
import { openStore } from "../../src/open-store.ts";
import { entryText } from "../../src/show/entry-text.ts";
import { en } from "../../src/strings/en.ts";
import { inTempFolder } from "../../src/testing/testing.ts";

async function withView(work: (view: SessionView) => Promise<void>): Promise<void> {
  await inTempFolder(async (workspace) => {
    const home = join(workspace, "home");
    const execution = await openExecution("exec-1", { home, workspace });
    await execution.step("fetch", () => new Map([["answer", "needle in a map"]]));
    await execution.save({ name: "send", index: 1, status: "failed", error: new RangeError("no answer") });
    await execution.close();
    const store = openStore("files", { home });
    await work(await viewSession(store, execution.session));
    await store.close();
  });
}

describe("the steps of an execution", () => {
  it("are found by what they hold", async () => {
    await withView(async (view) => {
      const found = [];
      for await (const { kind, excerpt } of searchSession(view, "NEEDLE"))
        found.push([kind, excerpt.includes("needle in a map")]);
      expect(found).toEqual([["saved", true]]);
    });
  });

  it("are readable lines", async () => {
    await withView(async (view) => {
      const { outline } = view;
      const entries = await view.entriesOf("saved");
      expect(entries.map((entry) => entryText(entry, { outline, strings: en }))).toEqual([
        "step 0 fetch, attempt 1, started",
        "step 0 fetch, attempt 1, done",
        "step 1 send, attempt 1, failed, RangeError: no answer",
      ]);
    });
  });

  it("forget what their owner lets go of, and hold the rest", async () => {
    await inTempFolder(async (workspace) => {
      const home = join(workspace, "home");
      const execution = await openExecution("exec-1", { home, workspace });
      const secret = 'pass<word>"1"\n';
      await execution.step(
        "login",
        () =>
          new Map([
            ["password", secret],
            ["user", "me"],
          ]),
      );
      await execution.close();
      const store = openStore("files", { home });
      const request = { what: "text", text: secret } as const;
      await performForget({ store, clock: systemClock }, request, { name: "forget" });
      const again = await openExecution("exec-1", { home, workspace });
      expect(await again.step("login", () => "run again")).toEqual(
        new Map([
          ["password", "[forgotten]"],
          ["user", "me"],
        ]),
      );
      await again.close();
      await store.close();
    });
  });

  it("are nothing that a model would see, and name their session", async () => {
    await withView(async (view) => {
      expect((await view.context()).messages).toEqual([]);
      expect(await summarise(view)).toMatchObject({ title: "exec-1", mode: "execution", checkpoints: 2 });
    });
  });
});
