import { describe, expect, it } from "vitest";
import type { App } from "../../../src/app/app.ts";
import type { EntryPage, PageRequest } from "../../../src/machine/view.ts";
import type { AgentEvent } from "../../../src/ports/agent-events.ts";
import type { Entry } from "../../../src/record/entry.ts";
import { TranscriptSync } from "../../../src/tui/screen/transcript-sync.ts";
import { addBlock } from "../../../src/tui/transcript/apply-entry.ts";
import { EMPTY_VIEW, ViewStore } from "../../../src/tui/view/view-state.ts";

function prompt(seq: number): Entry {
  return {
    seq,
    id: `e${seq}`,
    parent: seq === 1 ? null : `e${seq - 1}`,
    at: "2026-01-01T00:00:00.000Z",
    kind: "prompt",
    parts: [{ type: "text", text: `prompt ${seq}` }],
    estimate: 1,
  } as unknown as Entry;
}

/** An app whose pages arrive when the test says so. */
function sync() {
  const asked: { readonly request: PageRequest; readonly give: (page: EntryPage) => void }[] = [];
  const listeners = new Set<(event: AgentEvent) => void>();
  const troubles: unknown[] = [];
  const app = {
    model: { state: "none", lookedFor: [] },
    agent: {
      on: (listener: (event: AgentEvent) => void) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    queries: {
      page: async (request: PageRequest) => new Promise((give) => asked.push({ request, give })),
      todos: async () => [],
      state: async () => undefined,
      filesOfTurn: async () => undefined,
      leftBehind: async () => undefined,
    },
  } as unknown as App;
  const store = new ViewStore(EMPTY_VIEW, () => undefined);
  const itself = new TranscriptSync({
    store,
    now: () => 0,
    onEvent: () => undefined,
    onError: (error) => troubles.push(error),
  });
  const texts = () =>
    store.view.transcript.settled.flatMap((block) => (block.kind === "prompt" ? [block.text] : []));
  const tell = (event: AgentEvent): void => {
    for (const listener of listeners) listener(event);
  };
  return { itself, app, asked, tell, texts, store, listeners, troubles };
}

const settled = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("sync an agent", () => {
  it("misses nothing that is emitted while the page is read, and shows nothing twice", async () => {
    const { itself, app, asked, tell, texts } = sync();
    const done = itself.follow(app);
    tell({ type: "entry", entry: prompt(2) });
    tell({ type: "entry", entry: prompt(3) });
    asked[0]?.give({ entries: [prompt(1), prompt(2)], more: "no" });
    await done;
    expect(texts()).toEqual(["prompt 1", "prompt 2", "prompt 3"]);
    itself.close();
  });

  it("keeps notices if the same session is read again, also while it is being read", async () => {
    const { itself, app, asked, store } = sync();
    const notice = (line: string): void =>
      store.update((view) => ({
        ...view,
        transcript: addBlock(view.transcript, (key) => ({
          kind: "notice",
          key,
          tone: "quiet",
          line,
          details: "",
        })),
      }));
    const lines = () =>
      store.view.transcript.settled.flatMap((block) =>
        block.kind === "notice" ? [block.line] : [block.kind],
      );
    notice("before");
    const again = itself.follow(app, "said");
    notice("why not");
    asked[0]?.give({ entries: [prompt(1)], more: "no" });
    await again;
    expect(lines()).toEqual(["prompt", "before", "why not"]);
    const other = itself.follow(app);
    asked[1]?.give({ entries: [prompt(1)], more: "no" });
    await other;
    expect(lines()).toEqual(["prompt"]);
    itself.close();
  });

  it("listens to one agent at a time", async () => {
    const { itself, app, asked, listeners } = sync();
    const first = itself.follow(app);
    const second = itself.follow(app);
    for (const { give } of asked) give({ entries: [], more: "no" });
    await Promise.all([first, second]);
    expect(listeners.size).toBe(1);
    itself.close();
    expect(listeners.size).toBe(0);
  });

  it("gives the later of two reads the last word", async () => {
    const { itself, app, asked, texts } = sync();
    const first = itself.follow(app);
    const second = itself.reload();
    asked[1]?.give({ entries: [prompt(2)], more: "no" });
    await second;
    asked[0]?.give({ entries: [prompt(1)], more: "no" });
    await first;
    expect(texts()).toEqual(["prompt 2"]);
    itself.close();
  });

  it("does not put an earlier page before another conversation", async () => {
    const { itself, app, asked, texts } = sync();
    const opened = itself.follow(app);
    asked[0]?.give({ entries: [prompt(9)], more: "yes" });
    await opened;
    const earlier = itself.loadEarlier();
    expect(asked[1]?.request).toMatchObject({ before: "e9" });
    const reloaded = itself.reload();
    asked[2]?.give({ entries: [prompt(4)], more: "no" });
    await reloaded;
    asked[1]?.give({ entries: [prompt(8)], more: "no" });
    await earlier;
    await settled();
    expect(texts()).toEqual(["prompt 4"]);
    itself.close();
  });

  it("reads larger pages the further one goes up", async () => {
    const { itself, app, asked, texts } = sync();
    const opened = itself.follow(app);
    asked[0]?.give({ entries: [prompt(9)], more: "yes" });
    await opened;
    for (const [index, seq] of [8, 7].entries()) {
      const earlier = itself.loadEarlier();
      asked[index + 1]?.give({ entries: [prompt(seq)], more: seq === 7 ? "no" : "yes" });
      await earlier;
    }
    expect(texts()).toEqual(["prompt 7", "prompt 8", "prompt 9"]);
    expect(asked.map(({ request }) => request.count)).toEqual([200, 200, 400]);
    itself.close();
  });
});
