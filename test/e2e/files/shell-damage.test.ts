import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Looks, looksOf, within } from "./looks.ts";
import { openScene, scene, type Travelled } from "./scene.ts";

const NEWLINE_NAME = "two\nlines";
/** A lone 0xff is never valid UTF-8. */
const BYTES_NAME = "caf\xff.txt";

const work = `
  printf 'export const one = 1;\\n' > main.ts
  mkdir -p src/deep/deeper 'empty/in here'
  printf 'gone\\n' > src/gone.ts; printf 'moved\\n' > src/moved.ts
  printf 'deep\\n' > src/deep/deeper/file.ts; head -c 70000 /dev/urandom > src/deep/logo.bin
  printf '.env\\nsecrets/\\n' > .gitignore
  printf 'TOKEN=1\\n' > .env; mkdir secrets; printf 'hush' > secrets/key.pem; chmod 0700 secrets; chmod 0400 secrets/key.pem
  printf 'private' > deploy_key; chmod 0600 deploy_key
  printf 'private too' > opened_key; chmod 0600 opened_key
  printf '#!/bin/sh\\n' > tool; chmod 0755 tool
  ln -s src/moved.ts link; ln -s nowhere dangling
  printf 'a' > '${"two\nlines"}'; printf 'b' > "$(printf 'caf\\377.txt')"
  git init -q -b main . && printf 'tracked\\n' > tracked.txt && git add main.ts tracked.txt src && git commit -q -m one
  git init -q -b main nested && printf 'inner\\n' > nested/inner.txt && git -C nested add . && git -C nested commit -q -m one
  git init -q -b main ../outside/library && printf 'lib\\n' > ../outside/library/lib.c
  git -C ../outside/library add . && git -C ../outside/library commit -q -m one
  git -c protocol.file.allow=always submodule --quiet add "$PWD/../outside/library" vendored
`;

const damage = `
  printf 'export const two = 2;\\n' > main.ts; printf 'made\\n' > made-by-a-command.txt
  rm src/gone.ts; mv src/moved.ts moved-elsewhere.ts; git rm -q tracked.txt; rm -rf src/deep
  rm .env; rm -rf secrets
  rm deploy_key; printf 'private' > deploy_key; chmod 0644 deploy_key; chmod 0644 opened_key; chmod 0600 tool
  rm -r empty; rm link dangling; ln -s /etc/passwd link
  rm '${"two\nlines"}'; printf 'other' > "$(printf 'caf\\377.txt')"
  rm nested/inner.txt; printf 'changed\\n' > vendored/lib.c; printf 'new\\n' > vendored/new.c
`;

describe("one rewind, after shell commands did their worst,", () => {
  const stage = openScene();
  const look = (): Looks => looksOf(stage.workspace, { without: [".git"] });
  let before: Looks;
  let damaged: Looks;
  let after: Looks;
  let rewound: Travelled;

  beforeAll(async () => {
    stage.sh(work);
    before = look();
    await stage.checkpoint();
    stage.sh(damage);
    damaged = look();
    rewound = await stage.rewind(1);
    after = look();
  });
  afterAll(stage.remove);

  it("brings back what a command wrote over, and takes away what it made", () => {
    expect(damaged["main.ts"]).not.toBe(before["main.ts"]);
    expect(after["main.ts"]).toBe(before["main.ts"]);
    expect([damaged["made-by-a-command.txt"], after["made-by-a-command.txt"]]).toEqual([
      expect.stringContaining("file"),
      undefined,
    ]);
  });

  it("brings back what rm, mv, git rm and rm -rf took", () => {
    const taken = ["src", "tracked.txt", "moved-elsewhere.ts"];
    expect(within(damaged, ...taken)).not.toEqual(within(before, ...taken));
    expect(within(after, ...taken)).toEqual(within(before, ...taken));
  });

  it("brings back a deleted .env and other small ignored files, although git ignores them", () => {
    expect(within(damaged, ".env", "secrets")).toEqual({});
    expect(within(after, ".env", "secrets")).toEqual(within(before, ".env", "secrets"));
    expect(readFileSync(join(stage.workspace, ".env"), "utf8")).toBe("TOKEN=1\n");
  });

  it("gives a key its 0600 back, and everything else its full mode", () => {
    const modes = ["deploy_key", "opened_key", "tool", "secrets"];
    expect(modes.map((path) => after[path]?.split(" ")[1])).toEqual(["0600", "0600", "0755", "0700"]);
  });

  it("makes empty folders again", () => {
    expect(within(damaged, "empty")).toEqual({});
    expect(after).toMatchObject({ empty: before["empty"], "empty/in here": before["empty/in here"] });
  });

  it("reaches into nested repositories and submodules", () => {
    expect(within(after, "nested", "vendored")).toEqual(within(before, "nested", "vendored"));
    expect(within(damaged, "vendored")).toHaveProperty(["vendored/new.c"]);
  });

  it("restores names with a line break and names that are not UTF-8, and can express them in JSON", () => {
    const names = [NEWLINE_NAME, BYTES_NAME];
    expect(names.map((name) => after[name])).toEqual(names.map((name) => before[name]));
    expect(before[BYTES_NAME]).toBeDefined();
    expect(rewound.files.outcome.paths).toContainEqual({ path: NEWLINE_NAME, outcome: "created" });
    expect(rewound.files.outcome.paths).toContainEqual({
      path: "caf\\xff.txt",
      bytes: Buffer.from(BYTES_NAME, "latin1").toString("base64"),
      outcome: "restored",
    });
  });

  it("leaves the workspace exactly as it was, links included, and says that all of it is restored", () => {
    expect(after).toEqual(before);
    expect(rewound.files.outcome).toMatchObject({ kept: 0, failed: 0 });
  });

  it("can itself be undone, byte for byte", async () => {
    await stage.redo();
    expect(look()).toEqual(damaged);
  });
});

describe("restored files", () => {
  it("get a new time, so that make and tsc notice them, and files that did not change keep theirs", async () => {
    const { sh, workspace, checkpoint, rewind } = scene();
    sh(
      "printf one > source; printf built > product; printf still > other; touch -t 200101010000 source other",
    );
    const { mtimeMs: old } = statSync(join(workspace, "other"));
    await checkpoint();
    sh("printf two > source; touch product");
    await rewind(1);
    // The same check that make does: is the source newer than its product?
    expect(sh("if [ source -nt product ]; then cat source; fi")).toBe("one");
    expect(statSync(join(workspace, "other")).mtimeMs).toBe(old);
  });
});
