import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  chosenStore,
  contextIn,
  freshContext,
  heard,
  interruptible,
  type KnownSearch,
  quietContext,
  RunStores,
} from "../../src/app/context.ts";
import { systemClock } from "../../src/disk/system-clock.ts";
import { WorldlineError } from "../../src/record/error.ts";
import { openMemoryStore } from "../../src/stores/memory.ts";
import { playground } from "../cli/support/command-line.ts";
import { contextAt, interrupts } from "./support/context-at.ts";

describe("the store of a call", () => {
  it.each([
    [
      "sqlite:named.db",
      { WORLDLINE_STORE: "sqlite:of-environment.db" },
      { kind: "sqlite", path: "/w/named.db" },
    ],
    [
      undefined,
      { WORLDLINE_STORE: "sqlite:of-environment.db" },
      { kind: "sqlite", path: "/w/of-environment.db" },
    ],
    [undefined, { WORLDLINE_STORE: "" }, { kind: "files" }],
    [undefined, {}, { kind: "files" }],
  ])("is the one that is named (%j), or the one in %j", (named, environment, store) => {
    expect(chosenStore(named, { environment, cwd: () => "/w" })).toEqual(store);
  });
});

describe("the workspace of a context", () => {
  it("is found once, among the folders with a session in the store of this home", async () => {
    const place = playground();
    const searches: KnownSearch[] = [];
    const deep = join(place.workspace, "src", "deep");
    mkdirSync(deep, { recursive: true });
    const { context } = contextAt(place, {
      surroundings: {
        cwd: () => deep,
        knownWorkspaces: async (search) => {
          searches.push(search);
          return [place.workspace];
        },
      },
    });
    expect([await context.workspace(), await context.workspace()]).toEqual([
      place.workspace,
      place.workspace,
    ]);
    expect(searches).toEqual([
      {
        home: place.home,
        store: { kind: "files" },
        folders: expect.arrayContaining([deep, place.workspace]),
      },
    ]);
  });

  it("is the given one, relative to the current folder", async () => {
    const place = playground();
    const inner = join(place.workspace, "inner");
    mkdirSync(inner);
    const { context } = contextAt(place, { common: { workspace: "inner" } });
    expect(await context.workspace()).toBe(inner);
  });

  it("is the current folder if the address of the store is invalid, which only sessions need", async () => {
    const place = playground();
    const invalid = contextAt(place, {
      surroundings: {
        knownWorkspaces: async () => Promise.reject(new WorldlineError("sqlite-in-memory", {})),
      },
    });
    expect(await invalid.context.workspace()).toBe(place.workspace);
    const broken = contextAt(place, {
      surroundings: { knownWorkspaces: async () => Promise.reject(new Error("broken")) },
    });
    await expect(broken.context.workspace()).rejects.toThrow("broken");
  });
});

describe("the settings of a context", () => {
  it("are read once, with one report of each warning", async () => {
    const place = playground();
    place.write("user", '{ "lock": { "waitMsec": 3 } }');
    const { context, notices } = contextAt(place);
    expect(await context.settings()).toBe(await context.settings());
    expect(notices).toEqual([
      {
        code: "settings",
        warning: { about: "unknown-key", key: expect.objectContaining({ name: "lock.waitMsec" }) },
      },
    ]);
  });

  it("can be read again with the same request", async () => {
    const place = playground();
    const { context } = contextAt(place, { common: { settings: { "ui.theme": "dark" } } });
    const request = {
      home: place.home,
      workspace: place.workspace,
      environment: context.surroundings.environment,
      given: { "ui.theme": "dark" },
      trust: "as-recorded",
    };
    expect(await context.settingsRequest()).toEqual(request);
    const trusting = contextAt(place, { common: { trust: true } });
    expect(await trusting.context.settingsRequest()).toEqual({ ...request, given: {}, trust: "from-now-on" });
  });
});

describe("the context of another folder", () => {
  it("is the same one for the workspace itself", async () => {
    const { context } = contextAt(playground());
    expect(await contextIn(context, await context.workspace())).toBe(context);
  });

  it("has that folder's settings, and trusts only the folder that the user is in", async () => {
    const place = playground();
    const other = join(place.root, "other");
    const { context } = contextAt(place, { common: { trust: true, session: "k3f9x2m7q1" } });
    const there = await contextIn({ ...context, strings: "of the frame" }, other);
    expect(there).toMatchObject({
      common: { trust: true, session: "k3f9x2m7q1" },
      strings: "of the frame",
      home: place.home,
      listener: context.listener,
    });
    expect(await there.settingsRequest()).toMatchObject({ workspace: other, trust: "as-recorded" });
  });

  it("that reads the settings again has none of the options that were for the first one", async () => {
    const place = playground();
    const { context } = contextAt(place, {
      common: { trust: true, session: "k3f9x2m7q1", workspace: "elsewhere", takeOver: "yes" },
    });
    const fresh = freshContext(context, place.workspace);
    expect(fresh.common).toEqual({
      session: undefined,
      workspace: undefined,
      store: { kind: "files" },
      trust: false,
      settings: {},
      takeOver: "yes",
    });
    expect(fresh.stores).toBe(context.stores);
    expect(await fresh.workspace()).toBe(place.workspace);
  });
});

it("a quiet context reports nothing", () => {
  const { context, notices, progress } = contextAt(playground());
  const { listener } = quietContext(context);
  listener.report({ code: "trusted-later" });
  listener.progress("done");
  listener.afterWork(() => listener.report({ code: "trusted-later" }));
  expect([notices, progress]).toEqual([[], []]);
});

describe("work that must not be interrupted halfway", () => {
  it("learns that the user cancelled, and stops listening when it ends", async () => {
    const stop = new AbortController();
    const { signal } = stop;
    const listening = { now: 0 };
    const cancelled = Object.assign(signal, {
      addEventListener: () => {
        listening.now += 1;
      },
      removeEventListener: () => {
        listening.now -= 1;
      },
    });
    const { context } = contextAt(playground(), { surroundings: { cancelled } });
    const seen = await heard(context, async (isCancelled) => {
      const before = isCancelled();
      stop.abort();
      return { before, after: isCancelled(), listening: listening.now };
    });
    expect(seen).toEqual({ before: false, after: true, listening: 1 });
    await expect(heard(context, async () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(listening.now).toBe(0);
  });

  it("is aborted by the first signal, and the next signal has its usual effect", async () => {
    const { onInterrupt, interrupt, listening } = interrupts();
    const { context } = contextAt(playground(), { surroundings: { onInterrupt } });
    const seen = await interruptible(context, async (signal) => {
      const before = { aborted: signal.aborted, listening: listening() };
      interrupt();
      return { before, aborted: signal.aborted, listening: listening() };
    });
    expect(seen).toEqual({ before: { aborted: false, listening: 1 }, aborted: true, listening: 0 });
    await expect(interruptible(context, async () => Promise.reject(new Error("failed")))).rejects.toThrow(
      "failed",
    );
    expect(listening()).toBe(0);
  });
});

describe("closing the stores", () => {
  it("waits two seconds for a store that does not answer", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const stores = new RunStores();
    stores.open("a", () => ({
      ...openMemoryStore({ clock: systemClock }),
      close: () => new Promise(() => undefined),
    }));
    const closing = { state: "open" };
    const closed = stores.close().then(() => Object.assign(closing, { state: "closed" }));
    await vi.advanceTimersByTimeAsync(1_999);
    expect(closing).toEqual({ state: "open" });
    await vi.advanceTimersByTimeAsync(1);
    expect(await closed).toEqual({ state: "closed" });
  });

  it("leaves no timer behind", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const stores = new RunStores();
    await stores.close();
    stores.open("a", () => openMemoryStore({ clock: systemClock }));
    await stores.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
