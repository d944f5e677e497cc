import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { systemCode } from "../../src/app/places/home.ts";
import { folderOf, type PathBytes, pathIn, pathOfText } from "../../src/record/files.ts";
import { placeIn } from "./copy-folder.ts";

const LINES = Array.from({ length: 40 }, (_, index) => `export const line${index} = "line ${index}";`).join(
  "\n",
);
const LARGE_FILE_LINES = 20_000;
/** A file count above which snapshots leave out an ignored folder. */
const LARGE_FOLDER_FILES = 2_100;
const BINARY_BYTES = 8_192;

const texts: readonly (readonly [PathBytes, string])[] = [
  [".gitignore", ".env\n*.log\nbuild/\n"],
  [".env", "SECRET=not-in-git\n"],
  ["README.md", "# A sample\n\nWith a bit of everything.\n"],
  ["src/index.ts", `${LINES}\n`],
  ["src/lib/util.ts", `${LINES}\nexport {};\n`],
  ["src/lib/deep/er/note.txt", "deep\n"],
  ["src/lib/windows.txt", "one\r\ntwo\r\n"],
  ["src/old/a.txt", "an old file\n"],
  ["src/old/b.txt", "another old file\n"],
  ["data/empty", ""],
  ["data/no-newline", "no line break at the end"],
  ["docs/private.md", "only for its owner\n"],
  ["docs/read-only.md", "not to be changed\n"],
  ["bin/run.sh", "#!/bin/sh\necho run\n"],
  ["with space/a b.txt", "spaces\n"],
  ["-dash", "not an option\n"],
  ["*", "not a pattern\n"],
  ["new\nline", "two lines\n"],
  [pathOfText("ünïcödé/文件.txt"), "unicode\n"],
  ["vendor/nested/.git/HEAD", "ref: refs/heads/main\n"],
  ["vendor/nested/file.txt", "in a nested repository\n"],
  ["node_modules/dependency/index.js", "module.exports = 1;\n"],
  [".git/HEAD", "ref: refs/heads/main\n"],
  [".git/config", "[core]\n\tbare = false\n"],
  [".git/index", "DIRC not really\n"],
  [".git/objects/ab/cdef", "not really an object\n"],
];

const links: readonly (readonly [PathBytes, PathBytes])[] = [
  ["link-to-file", "src/index.ts"],
  ["link-to-folder", "src/lib"],
  ["link-to-nothing", "nowhere"],
  ["src/link-outside", "/etc/hostname"],
];

const modes: readonly (readonly [PathBytes, number])[] = [
  ["bin/run.sh", 0o755],
  ["docs/private.md", 0o600],
  ["docs/read-only.md", 0o444],
  ["data", 0o750],
  ["shared", 0o1777],
];

/** Creates a workspace with everything that is hard to restore. `at` is "" for the folder itself. */
export function plantSample(root: string, at: PathBytes): void {
  const place = (path: PathBytes): Buffer => placeIn(root, at === "" ? path : pathIn(at, path));
  const write = (path: PathBytes, content: string | Uint8Array): void => {
    mkdirSync(place(folderOf(path)), { recursive: true });
    writeFileSync(place(path), content);
  };
  for (const [path, text] of texts) write(path, text);
  write(
    "data/large.txt",
    Array.from({ length: LARGE_FILE_LINES }, (_, index) => `${index} of many\n`).join(""),
  );
  write(
    "data/binary",
    Buffer.from(Array.from({ length: BINARY_BYTES }, (_, index) => (index * index + 7) % 256)),
  );
  for (let index = 0; index < LARGE_FOLDER_FILES; index += 1) write(`build/out/${index}.o`, `${index}`);
  for (const folder of ["empty", "hollow/in/side", "shared"]) mkdirSync(place(folder), { recursive: true });
  for (const [path, target] of links) symlinkSync(target, place(path));
  for (const [path, mode] of modes) chmodSync(place(path), mode);
  try {
    write("bad\xff\xfename", "its name is not UTF-8\n");
  } catch (error) {
    // Some systems do not allow such names.
    if (systemCode(error) === undefined) throw error;
  }
}
