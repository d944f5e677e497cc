import { describe, expect, it } from "vitest";
import type { RewindRequest } from "../../../src/app/journeys/journey-types.ts";
import { WorldlineError } from "../../../src/record/error.ts";
import type { EntryId, SessionId } from "../../../src/record/ids.ts";
import { redoFlow, rewindFlow, undoFlow } from "../../../src/tui/flows/rewind.ts";
import { CHECKPOINTS, checkpoint, EXECUTION, PREVIEW } from "../dialogs/rows.ts";
import { fakeDesk, MADE } from "./fake-context.ts";

const RESTORED =
  "say good: Restored to checkpoint: #12 find the leak · files: 1 restored, 1 created, 1 removed, 1 kept" +
  " · notes.md: kept, changed by others · Undo this: /redo";
const EDIT = 'edit [{"type":"text","text":"find the leak"}]';

const NONE = { restored: 0, created: 0, removed: 0, merged: 0, kept: 0, notRestorable: 0, failed: 0 };
const COUNTS = { ...NONE, restored: 1, created: 1, removed: 1 };

describe("going back", () => {
  it("asks for the place and the scope, shows what would happen, goes, and gives the prompt back", async () => {
    const context = fakeDesk([["1"], ["1"], ["enter"]]);
    await rewindFlow(context);
    expect(context.told).toEqual([
      "ask",
      "ask",
      "wait: Preparing the preview",
      'preview {"session":"here","number":12,"scope":"both"}',
      "ask",
      "wait: Restoring",
      'rewind {"session":"here","number":12,"scope":"both"}',
      "reload",
      EDIT,
      RESTORED,
    ]);
  });

  it("goes one back with each Esc, and changes nothing", async () => {
    const context = fakeDesk([["2"], ["2"], ["escape"], ["escape"], ["escape"]]);
    await rewindFlow(context);
    expect(context.told).toEqual([
      "ask",
      "ask",
      "wait: Preparing the preview",
      'preview {"session":"here","number":3,"scope":"conversation"}',
      "ask",
      "ask",
      "ask",
    ]);
  });

  it("brings an execution back without a question of scope, and says what goes forward again", async () => {
    const context = fakeDesk([["1"], ["enter"]], {
      journeys: {
        rowsHere: async () => [],
        rowsElsewhere: async () => [EXECUTION],
        scopes: async () => ({ scopes: ["both"] }),
        rewind: async () => ({
          journey: "j" as EntryId,
          scope: "both",
          place: { execution: "exec-123", step: "data_processing" },
          redo: "program" as SessionId,
          differ: 0,
        }),
      },
    });
    await rewindFlow(context);
    expect(context.told.at(2)).toBe('preview {"session":"program","number":4,"scope":"both"}');
    expect(context.told.at(-1)).toBe(
      "say good: Restored to checkpoint: exec-123, step data_processing · worldline redo --session program undoes this",
    );
  });

  it("does nothing from row 0, and says so if there is nothing to go to", async () => {
    const here = fakeDesk([["enter"]]);
    await rewindFlow(here);
    expect(here.told).toEqual(["ask"]);
    const empty = fakeDesk([], { journeys: { rowsHere: async () => [], rowsElsewhere: async () => [] } });
    await rewindFlow(empty);
    expect(empty.told).toEqual(["say quiet: No checkpoints found."]);
  });

  it("looks again with what was chosen for conflicts, and stops what runs where that was wanted", async () => {
    const stopped: string[] = [];
    const context = fakeDesk([["1"], ["3"], ["t", "s", "enter"]], {
      journeys: {
        running: async () => ["npm run dev"],
        stopRunning: async () => void stopped.push("stopped"),
      },
    });
    await rewindFlow(context);
    const request = '{"session":"here","number":12,"scope":"files","choices":{"notes.md":"take"}}';
    expect(context.told.filter((line) => /^(?:preview|rewind) /u.test(line))).toEqual([
      'preview {"session":"here","number":12,"scope":"files"}',
      `preview ${request}`,
      `rewind ${request}`,
    ]);
    expect(stopped).toEqual(["stopped"]);
  });

  it("asks again before many deletions, and is back at the preview without a yes", async () => {
    const files = PREVIEW.files;
    if (files === undefined) throw new Error("no files");
    const preview = async () => ({
      ...PREVIEW,
      files: { ...files, deletions: 60, consent: "needed" as const },
    });
    const context = fakeDesk([["1"], ["1"], ["enter"], ["enter"], ["enter"], ["y"]], {
      journeys: { preview },
    });
    await rewindFlow(context);
    expect(context.told.filter((line) => line === "ask")).toHaveLength(6);
    expect(context.told.at(-1)).toBe(RESTORED);
  });

  it("keeps what was chosen for conflicts where the deletions were not wanted", async () => {
    const files = PREVIEW.files;
    if (files === undefined) throw new Error("no files");
    const preview = async () => ({ ...PREVIEW, files: { ...files, consent: "needed" as const } });
    const context = fakeDesk([["1"], ["1"], ["t", "enter"], ["n"], ["enter"], ["y"]], {
      journeys: { preview },
    });
    await rewindFlow(context);
    expect(context.told).toContain(
      'rewind {"session":"here","number":12,"scope":"both","choices":{"notes.md":"take"}}',
    );
  });

  it("is refused before anything is asked while something runs", async () => {
    const ready = () =>
      Promise.reject(new WorldlineError("stated", { code: "TURN_RUNNING", message: "Busy.", hint: "Wait." }));
    const context = fakeDesk([], { journeys: { ready } });
    await rewindFlow(context);
    await undoFlow(context, 1);
    await redoFlow(context, "");
    expect(context.told).toEqual(Array.from({ length: 3 }, () => "say error: Busy.\nWait."));
  });

  it("names the first that were kept, the others in the details, and the way back to the session that was left", async () => {
    const unrestored = ["a", "b", "c", "d"].map(
      (path) => ({ path, outcome: "kept", why: "changed" }) as const,
    );
    const visit = {
      left: "old" as SessionId,
      opened: { session: "new" as SessionId, title: "other work" },
    };
    const rewind = async () => ({ ...MADE, visit, files: { ...COUNTS, kept: 4, unrestored } });
    const context = fakeDesk([["1"], ["1"], ["enter"]], { journeys: { rewind } });
    await rewindFlow(context);
    expect(context.told.at(-1)).toBe(
      "say good: Restored to checkpoint: #12 find the leak · files: 1 restored, 1 created, 1 removed, 4 kept" +
        " · a: kept, changed · b: kept, changed · c: kept, changed · 1 more: Ctrl+O" +
        ' · now in session "other work"; to return: /resume old · Undo this: /redo\n' +
        "a: kept, changed\nb: kept, changed\nc: kept, changed\nd: kept, changed",
    );
  });

  it("says why it failed, with the hint, and leaves everything as it was", async () => {
    const rewind = () =>
      Promise.reject(
        new WorldlineError("stated", {
          code: "STORE_FULL",
          message: "The disk is full.",
          hint: "Make room.",
        }),
      );
    const context = fakeDesk([["1"], ["1"], ["enter"]], { journeys: { rewind } });
    await rewindFlow(context);
    expect(context.told.slice(-2)).toEqual([
      "wait: Restoring",
      "say error: Restore failed: The disk is full.\nMake room.",
    ]);
  });

  it("says at once what cannot be looked at", async () => {
    const preview = () =>
      Promise.reject(
        new WorldlineError("stated", {
          code: "TURN_RUNNING",
          message: "A turn runs.",
          hint: "Interrupt it first.",
        }),
      );
    const context = fakeDesk([["1"], ["1"]], { journeys: { preview } });
    await rewindFlow(context);
    expect(context.told.at(-1)).toBe("say error: A turn runs.\nInterrupt it first.");
  });

  it("has failed where not one of the files that should have gone back did", async () => {
    const rewind = async () => ({ ...MADE, files: { ...NONE, kept: 1, failed: 1, unrestored: [] } });
    const context = fakeDesk([["1"], ["1"], ["enter"]], { journeys: { rewind } });
    await rewindFlow(context);
    expect(context.told.at(-1)).toBe(
      "say error: Restore failed: #12 find the leak · files: 1 kept, 1 failed · Undo this: /redo",
    );
  });

  it("is not called restored where every file was kept", async () => {
    const unrestored = [{ path: "a", outcome: "kept", why: "the changes conflict" }] as const;
    const rewind = async () => ({ ...MADE, files: { ...NONE, kept: 1, unrestored } });
    const context = fakeDesk([["1"], ["1"], ["enter"]], { journeys: { rewind } });
    await rewindFlow(context);
    expect(context.told.at(-1)).toBe(
      "say good: Conversation (but no files) restored to checkpoint: #12 find the leak · files: 1 kept" +
        " · a: kept, the changes conflict · Undo this: /redo",
    );
  });

  it("shows the preview again where a merge that was accepted turns out not to be clean", async () => {
    const { files } = PREVIEW;
    if (files === undefined) throw new Error("no files");
    const preview = async ({ choices }: RewindRequest) => ({
      ...PREVIEW,
      files: {
        ...files,
        conflicts: files.conflicts.map((each) => ({
          ...each,
          choice: choices?.get(each.path) ?? each.choice,
          merge: choices === undefined ? ("untried" as const) : ("unclean" as const),
        })),
      },
    });
    const keys = [["1"], ["1"], ["m", "enter"], ["m", "enter"]];
    const context = fakeDesk(keys, { journeys: { preview } });
    await rewindFlow(context);
    expect(context.told.filter((line) => line.startsWith("rewind"))).toEqual([
      'rewind {"session":"here","number":12,"scope":"both"}',
    ]);
  });

  it("warns where single files failed, and says what does not fit the conversation", async () => {
    const failed = async () => ({ ...MADE, files: { ...NONE, restored: 2, failed: 1, unrestored: [] } });
    const { prompt: _prompt, files: _files, ...rest } = MADE;
    const stayed = async () => ({ ...rest, scope: "conversation" as const, differ: 4 });
    const one = fakeDesk([["1"], ["1"], ["enter"]], { journeys: { rewind: failed } });
    await rewindFlow(one);
    expect(one.told.at(-1)).toBe(
      "say warning: Restored in part: #12 find the leak · files: 2 restored, 1 failed · Undo this: /redo",
    );
    const other = fakeDesk([["1"], ["2"], ["enter"]], { journeys: { rewind: stayed } });
    await rewindFlow(other);
    expect(other.told.slice(-2)).toEqual([
      "reload",
      "say good: Restored to checkpoint: #12 find the leak · 4 files differ from that checkpoint · Undo this: /redo",
    ]);
  });
});

describe("undoing prompts", () => {
  it("goes straight to the preview of both", async () => {
    const undoTarget = async (prompts: number) => checkpoint(prompts + 1);
    const context = fakeDesk([["enter"]], { journeys: { undoTarget } });
    await undoFlow(context, 2);
    expect(context.told[1]).toBe('preview {"session":"here","number":3,"scope":"both"}');
    expect(context.told.at(-1)).toBe(RESTORED);
  });

  it("takes what the place allows", async () => {
    const context = fakeDesk([["escape"]], {
      journeys: {
        undoTarget: async () => CHECKPOINTS[3] ?? checkpoint(3),
        scopes: async () => ({ scopes: ["conversation"] }),
      },
    });
    await undoFlow(context, 1);
    expect(context.told).toEqual([
      "wait: Preparing the preview",
      'preview {"session":"here","number":3,"scope":"conversation"}',
      "ask",
    ]);
  });
});

describe("going forward again", () => {
  const row = {
    journey: "j7" as EntryId,
    kind: "backtrack",
    scope: "both",
    place: { number: 17, at: 0, text: "the leak" },
    to: 3,
    at: 0,
    order: "by-name",
  } as const;
  const redoable = async () => [{ ...row, journey: "j9" as EntryId, order: "next" as const }, row];
  const redoScopes = async () => ({ scopes: ["both", "conversation", "files"] as const });

  it("undoes the newest journey, after a preview", async () => {
    const context = fakeDesk([["enter"]], { journeys: { redoable } });
    await redoFlow(context, "");
    expect(context.told.filter((line) => line.includes("redo {"))).toEqual(["preview redo {}", "redo {}"]);
    expect(context.told.at(-1)).toContain("say good: Redone to: #12 find the leak");
  });

  it("lets one be chosen from the list, and what comes with it", async () => {
    const keys = [["2"], ["escape"], ["2"], ["1"], ["escape"], ["2"], ["enter"]];
    const context = fakeDesk(keys, { journeys: { redoable, redoScopes } });
    await redoFlow(context, "--list");
    expect(context.told.filter((line) => line.startsWith("redo"))).toEqual([
      'redo {"journey":"j7","scope":"conversation"}',
    ]);
  });

  it("does not undo an older journey that was not named", async () => {
    const context = fakeDesk([], { journeys: { redoable: async () => [row] } });
    await redoFlow(context, "");
    expect(context.told).toEqual([
      "say quiet: Nothing to redo. To return to a branch that you left earlier: /redo list",
    ]);
  });

  it("says where there is nothing to redo", async () => {
    const context = fakeDesk([], { journeys: { redoable: async () => [] } });
    await redoFlow(context, "");
    expect(context.told).toEqual(["say quiet: Nothing to redo."]);
  });
});
