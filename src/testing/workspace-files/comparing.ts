import assert from "node:assert/strict";
import type { FileState } from "../../record/files.ts";
import { captureAll, type FilesGroup, textOf } from "./subject.ts";

export const comparing: FilesGroup = {
  title: "comparing",
  cases: [
    {
      title: "names every path that differs, folders before what they hold, in the order of bytes",
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
      title: "names a mode that changed, and a kind",
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
      title: "merges what others added to what is to be, and says when it does not fit",
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
