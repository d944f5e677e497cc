import assert from "node:assert/strict";
import type { CaptureProgress } from "../../ports/workspace-files.ts";
import type { FileState } from "../../record/files.ts";
import type { SnapshotId } from "../../record/ids.ts";
import { rejectsWith } from "../log-store/subject.ts";
import { captureAll, type FilesGroup, SESSION, textAt, textOf } from "./subject.ts";

const MISSING = "0".repeat(64) as SnapshotId;

export const capturing: FilesGroup = {
  title: "capturing",
  cases: [
    {
      title: "gives the same id while nothing changes, and a different one after a change",
      run: async ({ files, write, remove }) => {
        write("a/b", "one");
        const first = await captureAll(files);
        assert.equal(await captureAll(files), first);
        write("a/b", "two");
        const second = await captureAll(files);
        assert.notEqual(second, first);
        remove("a");
        assert.notEqual(await captureAll(files), second);
        write("a/b", "one");
        assert.equal(await captureAll(files), first);
      },
    },
    {
      title: "records text, modes, and empty folders",
      run: async ({ files, write, mkdir }) => {
        write("file", "text", 0o600);
        mkdir("empty/deep");
        const snapshot = await captureAll(files);
        const list = await files.list(snapshot);
        assert.deepEqual(
          list.map(({ path, state }) => [path, state.kind]),
          [
            ["", "folder"],
            ["empty", "folder"],
            ["empty/deep", "folder"],
            ["file", "file"],
          ],
        );
        const state = await files.stateAt(snapshot, "file");
        assert.equal(state?.kind === "file" ? state.mode : undefined, 0o600);
        assert.equal(await textAt(files, snapshot, "file"), "text");
        assert.equal(await files.stateAt(snapshot, "nothing"), undefined);
        assert.deepEqual(
          (await files.list(snapshot, "empty")).map(({ path }) => path),
          ["empty", "empty/deep"],
        );
      },
    },
    {
      title: "is complete if everything could be read",
      run: async ({ files, write }) => {
        write("a", "one");
        const { state, gaps } = await files.capture({ look: "everything" });
        assert.deepEqual({ state, gaps }, { state: "complete", gaps: [] });
      },
    },
    {
      title: "only known paths finds the edits there",
      run: async ({ files, write, remove }) => {
        write("a", "one");
        write("d/b", "one");
        await captureAll(files);
        write("a", "two");
        remove("d");
        write("new/c", "new");
        const { snapshot } = await files.capture({ look: ["a", "d", "new"] });
        assert.equal(await textAt(files, snapshot, "a"), "two");
        assert.equal(await textAt(files, snapshot, "new/c"), "new");
        assert.equal(await files.stateAt(snapshot, "d"), undefined);
        assert.equal(await captureAll(files), snapshot);
      },
    },
    {
      title: "only known paths finds a new file there, and finds that it is gone again",
      run: async ({ files, write, remove }) => {
        write("d/old", "old");
        const before = await captureAll(files);
        write("d/new", "new");
        const { snapshot } = await files.capture({ look: ["d/new"] });
        assert.equal(await textAt(files, snapshot, "d/new"), "new");
        remove("d/new");
        assert.equal(await captureAll(files), before);
      },
    },
    {
      title: "several times at once gives each caller the current files",
      run: async ({ files, write }) => {
        write("a", "one");
        const ids = await Promise.all([captureAll(files), captureAll(files), captureAll(files)]);
        assert.equal(new Set(ids).size, 1);
      },
    },
    {
      title: "rejects with CANCELLED if it is canceled, and the next capture is complete",
      run: async ({ files, write }) => {
        write("a", "one");
        const signal = AbortSignal.abort();
        await rejectsWith("CANCELLED", files.capture({ look: "everything", signal }));
        assert.equal(await textAt(files, await captureAll(files), "a"), "one");
      },
    },
    {
      title: "reports that it is looking before it stores anything",
      run: async ({ files, write }) => {
        write("a", "one");
        const phases: CaptureProgress["phase"][] = [];
        await files.capture({ look: "everything", onProgress: ({ phase }) => phases.push(phase) });
        assert.equal(phases[0], "looking");
      },
    },
    {
      title: "creates a snapshot that another process can read, whatever happens to the workspace",
      run: async ({ files, another, write, remove }) => {
        write("a", "one");
        const first = await captureAll(files);
        write("a", "two");
        await captureAll(files);
        remove("a");
        const other = another();
        assert.equal(await other.has(first), true);
        assert.equal(await textAt(other, first, "a"), "one");
        assert.equal(await other.has(MISSING), false);
        await rejectsWith("SNAPSHOT_MISSING", other.list(MISSING));
        await rejectsWith("SNAPSHOT_MISSING", other.keep({ session: SESSION, journey: "left" }, MISSING));
      },
    },
    {
      title: "creates a snapshot that gc deletes unless it is kept, and that is then reported as missing",
      needs: "collect",
      run: async ({ files, another, write, collect }) => {
        const writer = another();
        write("a", "one");
        const keptFor = { session: SESSION, checkpoint: 1, on: "prompt" } as const;
        const { snapshot: kept } = await writer.capture({ look: "everything", keptFor });
        write("a", "two");
        const later = await captureAll(writer);
        write("a", "three");
        const loose = await captureAll(writer);
        write("a", "four");
        await captureAll(writer);
        await writer.keep({ session: SESSION, journey: "left" }, later);
        const ask = async (): Promise<boolean[]> =>
          Promise.all([kept, later, loose].map(async (id) => files.has(id)));
        assert.deepEqual(await ask(), [true, true, true]);
        // gc may skip segments that a running process writes to.
        await writer.close();
        if (typeof collect === "function") await collect();
        assert.deepEqual(await ask(), [true, true, false]);
        assert.equal(await textAt(files, kept, "a"), "one");
        write("a", "three");
        assert.equal(await textAt(files, await captureAll(files), "a"), "three");
      },
    },
  ],
};

export const comparing: FilesGroup = {
  title: "comparing",
  cases: [
    {
      title: "lists every path that differs in byte order, with folders before their contents",
      run: async ({ files, write, mkdir, remove }) => {
        write("same", "same");
        write("b/edited", "one");
        write("b/gone/deep", "one");
        write("b-c", "beside");
        const before = await captureAll(files);
        write("b/edited", "two");
        remove("b/gone");
        remove("b-c");
        mkdir("a/new");
        const after = await captureAll(files);
        const changes = await files.compare(before, after);
        assert.deepEqual(
          changes.map(({ path, before: old, after: now }) => [path, old?.kind, now?.kind]),
          [
            ["a", undefined, "folder"],
            ["a/new", undefined, "folder"],
            ["b-c", "file", undefined],
            ["b/edited", "file", "file"],
            ["b/gone", "folder", undefined],
            ["b/gone/deep", "file", undefined],
          ],
        );
        assert.deepEqual(await files.compare(after, after), []);
      },
    },
    {
      title: "lists a changed mode and a changed kind",
      run: async ({ files, write, mkdir, remove }) => {
        write("mode", "same", 0o644);
        write("kind", "a file");
        const before = await captureAll(files);
        remove("mode");
        write("mode", "same", 0o755);
        remove("kind");
        mkdir("kind");
        const changes = await files.compare(before, await captureAll(files));
        assert.deepEqual(
          changes.map(({ path, after }) => [path, after?.kind]),
          [
            ["kind", "folder"],
            ["mode", "file"],
          ],
        );
      },
    },
    {
      title: "merges other changes into a state, and reports if they do not fit",
      run: async ({ files, write }) => {
        const stateOf = async (text: string): Promise<FileState> => {
          write("a", text);
          const state = await files.stateAt(await captureAll(files), "a");
          assert.ok(state !== undefined);
          return state;
        };
        const [one, two, other] = [
          await stateOf("one\n"),
          await stateOf("one\ntwo\n"),
          await stateOf("x\ny\n"),
        ];
        const merged = await files.merge(one, [{ before: one, after: two }]);
        assert.equal(await textOf(files, merged), "one\ntwo\n");
        assert.equal(await files.merge(one, [{ before: other, after: undefined }]), undefined);
      },
    },
  ],
};
