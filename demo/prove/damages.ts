import { spawn } from "node:child_process";
import { type PathBytes, shownPath } from "../../src/record/files.ts";
import type { Strings } from "../../src/strings/strings.ts";
import type { TargetKind } from "./targets.ts";

export interface Damage {
  readonly name: keyof Strings["prove"]["damages"];
  /**
   * A script for /bin/sh, run in the workspace: `$1` and `$2` are targets, $SAMPLE is the planted sample, and
   * $SCRATCH is a folder next to the workspace.
   */
  readonly script: string;
  readonly on: readonly TargetKind[];
  /** "every-file": standard input lists every captured file, each followed by a NUL. */
  readonly input?: "every-file";
  /**
   * The path of the damage that cannot be captured, and therefore stays and must be reported: a FIFO in
   * $SAMPLE, or a target whose mode forbids reading it.
   */
  readonly stays?: "fifo" | "unreadable";
}

/** Kinds of damage that happen to real workspaces, inflicted by a real shell. */
export const damages: readonly Damage[] = [
  { name: "overwritten", on: ["file"], script: `printf 'overwritten\\n' > "$1"` },
  { name: "appended", on: ["text"], script: `printf 'one more line\\n' >> "$1"` },
  { name: "emptied", on: ["file"], script: `: > "$1"` },
  { name: "edited", on: ["text"], script: `sed -i.bak 's/$/ #/' "$1" && rm "$1.bak"` },
  {
    name: "carriageReturns",
    on: ["text"],
    script: `sed "s/\\$/$(printf '\\r')/" "$1" > "$SCRATCH/crlf" && cat "$SCRATCH/crlf" > "$1"`,
  },
  { name: "binary", on: ["file"], script: `head -c 70000 /dev/urandom > "$1"` },
  {
    name: "sameSize",
    on: ["text"],
    script: `touch -r "$1" "$SCRATCH/time" && LC_ALL=C tr 'a-y' 'b-z' < "$1" > "$SCRATCH/same"
cat "$SCRATCH/same" > "$1" && touch -r "$SCRATCH/time" "$1"`,
  },
  { name: "future", on: ["text"], script: `printf 'later\\n' >> "$1" && touch -t 203801010000 "$1"` },
  { name: "replaced", on: ["file"], script: `printf 'another file\\n' > "$1.new" && mv -f "$1.new" "$1"` },
  {
    name: "swapped",
    on: ["text", "file"],
    script: `mv "$1" "$SCRATCH/swap" && mv "$2" "$1" && mv "$SCRATCH/swap" "$2" && printf 'x' >> "$2"`,
  },
  { name: "removed", on: ["file"], script: `rm -f "$1"` },
  { name: "removedFolder", on: ["folder"], script: `rm -rf "$1"` },
  { name: "removedAll", on: [], input: "every-file", script: `xargs -0 rm -f --` },
  { name: "moved", on: ["file"], script: `mv "$1" "$1.moved"` },
  { name: "movedFolder", on: ["folder"], script: `mv "$1" "$1-moved"` },
  { name: "private", on: ["text"], script: `chmod 600 "$1"` },
  { name: "executable", on: ["text"], script: `chmod 777 "$1"` },
  { name: "sticky", on: ["file", "folder"], script: `chmod u+s "$1" && chmod 1775 "$2"` },
  { name: "unreadable", on: ["file"], stays: "unreadable", script: `chmod 000 "$1"` },
  { name: "folderMode", on: ["folder"], script: `chmod 700 "$1"` },
  {
    name: "lockedFolder",
    on: [],
    script: `rm "$SAMPLE/src/old/a.txt" && printf 'b' > "$SAMPLE/src/old/b.txt" && chmod 555 "$SAMPLE/src/old"`,
  },
  { name: "linkMoved", on: ["link"], script: `rm "$1" && ln -s elsewhere "$1"` },
  { name: "linkToFile", on: ["link"], script: `rm "$1" && printf 'a file now\\n' > "$1"` },
  { name: "fileToLink", on: ["file"], script: `rm -f "$1" && ln -s /etc/hostname "$1"` },
  { name: "folderToLink", on: ["folder"], script: `rm -rf "$1" && ln -s /etc "$1"` },
  {
    name: "fileToFolder",
    on: ["file"],
    script: `rm -f "$1" && mkdir "$1" && printf 'inside\\n' > "$1/inside"`,
  },
  { name: "folderToFile", on: ["folder"], script: `rm -rf "$1" && printf 'a file now\\n' > "$1"` },
  { name: "emptyFolder", on: ["empty-folder"], script: `rmdir "$1"` },
  { name: "environment", on: ["environment"], script: `rm "$1"` },
  { name: "environmentEdited", on: ["environment"], script: `printf 'SECRET=another\\n' > "$1"` },
  { name: "ignoredNew", on: [], script: `printf 'a log\\n' > "$SAMPLE/debug.log"` },
  {
    name: "created",
    on: ["folder"],
    script: `printf 'new\\n' > new-file && printf 'new\\n' > "$1/new-file"`,
  },
  {
    name: "createdDeep",
    on: [],
    script: `mkdir -p "$SAMPLE/a/b/c/d/e" "$SAMPLE/a/empty" && printf 'deep\\n' > "$SAMPLE/a/b/c/d/e/f"`,
  },
  {
    name: "oddNames",
    on: [],
    script: `cd "$SAMPLE" && printf 1 > "$(printf 'a\\nb')" && printf 2 > ./-rf && printf 3 > ' ' && printf 4 > "\\\\"
printf 5 > "$(printf 'caf\\351')" 2>/dev/null || :`,
  },
  {
    name: "oddRemoved",
    on: [],
    script: `cd "$SAMPLE" && rm -f ./-dash "$(printf 'new\\nline')" "$(printf 'bad\\377\\376name')" './*' 'with space/a b.txt'`,
  },
  { name: "ignoreRules", on: ["ignore-rules"], script: `printf 'src\\n*.md\\n' >> "$1"` },
  { name: "ignoreRemoved", on: ["ignore-rules"], script: `rm "$1"` },
  { name: "nested", on: ["nested"], script: `printf 'changed\\n' >> "$1"` },
  {
    name: "hardLink",
    on: ["text"],
    script: `ln "$1" "$1.hard" && printf 'written through a hard link\\n' >> "$1.hard"`,
  },
  {
    name: "large",
    on: [],
    script: `dd if=/dev/zero of="$SAMPLE/large" bs=65536 count=256 2>/dev/null && sed 's/many/few/' "$SAMPLE/data/large.txt" > "$SCRATCH/l" && cat "$SCRATCH/l" > "$SAMPLE/data/large.txt"`,
  },
  {
    name: "sparse",
    on: [],
    script: `dd if=/dev/zero of="$SAMPLE/sparse" bs=1 count=1 seek=20000000 2>/dev/null`,
  },
  {
    name: "fifo",
    on: [],
    stays: "fifo",
    script: `mkfifo "$SAMPLE/fifo" && printf 'beside\\n' > "$SAMPLE/beside"`,
  },
  {
    name: "many",
    on: [],
    script: `mkdir "$SAMPLE/many" && cd "$SAMPLE/many" && i=0
while [ $i -lt 2000 ]; do printf $i > f$i; i=$((i+1)); done`,
  },
  {
    name: "mixed",
    on: ["text", "folder", "link"],
    script: `rm -rf "$2" && mkdir -p "$2/in" && printf 'x' > "$2/in/x" && chmod 711 "$2"
rm "$3" && mkdir "$3" && mv "$1" "$3/taken" && printf 'y' > new-file && rm -rf "$SAMPLE/docs" && ln -s /tmp "$SAMPLE/docs"`,
  },
];

export interface InflictRequest {
  readonly script: string;
  readonly targets: readonly PathBytes[];
  readonly workspace: string;
  readonly sample: PathBytes;
  readonly scratch: string;
  readonly input?: readonly PathBytes[];
}

const SHELL = "/bin/sh";

/** Runs the script of a damage. If the script failed, resolves with the reason. */
export async function inflict(request: InflictRequest): Promise<string | undefined> {
  const { script, targets, workspace, sample, scratch, input = [] } = request;
  const child = spawn(SHELL, ["-euc", script, "prove", ...targets.map((path) => `./${shownPath(path)}`)], {
    cwd: workspace,
    // The script does not get the user's environment, because a profile or an alias could change what the script does.
    env: {
      PATH: process.env["PATH"] ?? "/usr/bin:/bin",
      LC_ALL: "C",
      HOME: scratch,
      SCRATCH: scratch,
      SAMPLE: sample === "" ? "." : `./${sample}`,
    },
    stdio: ["pipe", "ignore", "pipe"],
  });
  const said: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => said.push(text));
  // A script that does not read its standard input closes the pipe.
  child.stdin.on("error", () => undefined);
  child.stdin.end(Buffer.from(input.map((path) => `${path}\0`).join(""), "latin1"));
  return new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, signal) =>
      resolve(code === 0 ? undefined : `${said.join("").trim()} (${signal ?? `exit code ${code}`})`),
    );
  });
}
