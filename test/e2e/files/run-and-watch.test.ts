import { describe, expect, it } from "vitest";
import { looksOf } from "./looks.ts";
import { ended, scene, until } from "./scene.ts";

describe("a command under worldline run, in a workspace that was never captured,", () => {
  it("starts when the first capture is complete and written down, so that rm -rf loses nothing", async () => {
    const { sh, workspace, worldline, rewind } = scene();
    sh(
      "mkdir -p src/deep; cd src; n=0; while [ $n -lt 100 ]; do echo $n > deep/$n; n=$((n+1)); done; cp -R deep more",
    );
    sh("head -c 6000000 /dev/urandom > src/large");
    const before = looksOf(workspace);
    const said = 'grep -h \'"kind":"snapshot"\' "$WORLDLINE_HOME"/sessions/*/log.jsonl > ../outside/first';
    const ran = await worldline(["run", "--", "/bin/sh", "-ec", `rm -rf src; ${said}`]);
    expect(ran.code).toBe(0);
    expect(JSON.parse(sh("head -n 1 ../outside/first"))).toMatchObject({ checkpoint: 1, state: "complete" });
    expect(looksOf(workspace)).toEqual({});
    await rewind(1);
    expect(looksOf(workspace)).toEqual(before);
  });

  it("needs no terminal to be captured: it says how to go back, and that works", async () => {
    const { sh, worldline } = scene();
    sh("printf one > file");
    const ran = await worldline([
      "run",
      "--",
      "/bin/sh",
      "-ec",
      "printf two > file; printf made > made; exit 7",
    ]);
    expect(ran.code).toBe(7);
    const back = /worldline (rewind .*)$/mu.exec(ran.stderr)?.[1] ?? "";
    expect(await worldline(back.trim().split(" "))).toMatchObject({ code: 0 });
    expect(sh("cat file; ls")).toBe("onefile\n");
  });

  it("is not run with --strict if there would be no way back", async () => {
    const { sh, worldline } = scene({ user: "plain" });
    sh("printf one > file; printf secret > locked; chmod 0 locked");
    const ran = await worldline(["run", "--strict", "--", "/bin/sh", "-c", "rm -f file locked"]);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain("locked");
    expect(sh("cat file; ls")).toBe("onefile\nlocked\n");
  });
});

describe("worldline watch", () => {
  it("sees changes of files whose names, or whose folders' names, are not UTF-8", async () => {
    const { sh, start, json, workspace, rewind } = scene();
    const [file, folder] = ["\"$(printf 'sub/caf\\377')\"", "\"$(printf 'd\\351j\\340')\""];
    sh(`mkdir sub ${folder}; printf one > ${file}; printf one > ${folder}/inner`);
    const before = looksOf(workspace);
    const child = start(["watch", "--json", "--setting", "watch.quietMs=50"]);
    let said = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const seen = async (checkpoint: number): Promise<void> =>
      until(() => said.includes(`"number":${checkpoint},`));
    try {
      await seen(1);
      // The watcher scans everything once when it starts; changes after this checkpoint are found only
      // through its events.
      sh("printf x > plain");
      await seen(2);
      sh(`printf two > ${file}`);
      await seen(3);
      sh(`printf two > ${folder}/inner`);
      await seen(4);
    } finally {
      child.kill("SIGINT");
      await ended(child);
    }
    expect(await json(["diff", "2", "3"])).toMatchObject({
      changes: [{ path: "sub/caf\\xff", bytes: Buffer.from("sub/caf\xff", "latin1").toString("base64") }],
    });
    expect(await json(["diff", "3", "4"])).toMatchObject({ changes: [{ path: "d\\xe9j\\xe0/inner" }] });
    await rewind(1);
    expect(looksOf(workspace)).toEqual(before);
  });
});
