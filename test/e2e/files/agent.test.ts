import { describe, expect, it } from "vitest";
import { isWorldlineError } from "../../../src/index.ts";
import { type AgentScene, tomorrow, withAgent } from "./agent-scene.ts";
import { looksOf } from "./looks.ts";

/**
 * The agent changes `mine`, then the user changes `theirs`, and the next prompt's checkpoint captures both.
 */
async function bothAtWork({ sh, prompt, step }: AgentScene): Promise<number> {
  sh("printf 'one\\n' > mine; printf 'a\\nb\\nc\\nd\\ne\\n' > theirs");
  const to = await prompt("go");
  await step("printf 'two\\n' > mine; printf 'A\\nb\\nc\\nd\\ne\\n' > theirs");
  sh("printf 'A\\nb\\nc\\nd\\nby hand\\n' > theirs");
  await prompt("go on");
  await step("printf 'three\\n' > mine; rm -f nothing");
  return to;
}

describe("what the user changed by hand, and the next checkpoint captured,", () => {
  it("is a conflict, shown, and kept by default when the agent's work goes back", async () =>
    withAgent(async (scene) => {
      const to = await bothAtWork(scene);
      const preview = await scene.session.previewFiles({ to });
      expect(preview.conflicts).toMatchObject([{ path: "theirs", choice: "keep" }]);
      expect(preview.kept).toEqual([{ path: "theirs", why: "outside" }]);
      const { files } = await scene.session.rewind({ to, scope: "both" });
      expect(files.paths).toEqual([
        { path: "mine", outcome: "restored" },
        { path: "theirs", outcome: "kept", why: "changed outside this session", reason: "kept-outside" },
      ]);
      expect(scene.sh("cat mine theirs")).toBe("one\nA\nb\nc\nd\nby hand\n");
    }));

  it("is also taken back if the user says so, and redo restores it", async () =>
    withAgent(async (scene) => {
      const to = await bothAtWork(scene);
      await scene.session.rewind({ to, scope: "both", choice: "take" });
      expect(scene.sh("cat mine theirs")).toBe("one\na\nb\nc\nd\ne\n");
      await scene.session.redo();
      expect(scene.sh("cat mine theirs")).toBe("three\nA\nb\nc\nd\nby hand\n");
    }));

  it("is merged if the user says so: the user's line stays, the agent's goes", async () =>
    withAgent(async (scene) => {
      const to = await bothAtWork(scene);
      await scene.session.rewind({ to, scope: "both", choices: new Map([["theirs", "merge"]]) });
      expect(scene.sh("cat mine theirs")).toBe("one\na\nb\nc\nd\nby hand\n");
    }));

  it("is kept as well by the command line, from another process", async () =>
    withAgent(async (scene) => {
      const to = await bothAtWork(scene);
      await scene.session.close();
      const rewound = await scene.json(["rewind", `${to}`, "--session", scene.session.id]);
      expect(rewound).toMatchObject({ scope: "both", files: { kept: [{ path: "theirs", why: "outside" }] } });
      expect(scene.sh("cat mine theirs")).toBe("one\nA\nb\nc\nd\nby hand\n");
    }));

  it("is not deleted where it is a new file, and the agent's new files are", async () =>
    withAgent(async ({ sh, session, prompt, step }) => {
      const to = await prompt("go");
      await step("mkdir out; printf made > out/made; printf made > touched");
      sh("printf notes > out/notes; printf ' by hand' >> touched");
      await prompt("go on");
      await session.rewind({ to, scope: "both" });
      expect(sh("ls out; cat out/notes touched")).toBe("notes\nnotesmade by hand");
    }));
});

describe("after files were rewound the model", () => {
  it("is told which of them changed, and which were kept", async () =>
    withAgent(async (scene) => {
      const to = await bothAtWork(scene);
      await scene.session.rewind({ to, scope: "files" });
      const seen = await scene.modelSees();
      expect(seen).toMatch(/Changed on disk:\\n- \\"mine\\"/u);
      expect(seen).toMatch(/Left as they are[^:]*:\\n- \\"theirs\\"/u);
    }));

  it("is also told by redo, and if the conversation went back and the files did not", async () =>
    withAgent(async ({ sh, session, prompt, step, modelSees }) => {
      sh("printf one > file");
      const to = await prompt("go");
      await step("printf two > file");
      await session.rewind({ to, scope: "conversation" });
      expect(await modelSees()).toMatch(/not rewound with the conversation[^:]*:\\n- \\"file\\"/u);
      await session.redo();
      await session.rewind({ to, scope: "files" });
      await session.redo();
      expect((await modelSees()).match(/Changed on disk:\\n- \\"file\\"/gu)).toHaveLength(2);
    }));

  it("is told if a user rewinds from another process, with the session closed", async () =>
    withAgent(async (scene) => {
      scene.sh("printf one > file");
      const to = await scene.prompt("go");
      await scene.step("printf two > file");
      await scene.session.close();
      await scene.json(["rewind", `${to}`, "--scope", "files", "--session", scene.session.id]);
      await tomorrow(scene, async ({ modelSees, sh }) => {
        expect(sh("cat file")).toBe("one");
        expect(await modelSees()).toMatch(/Changed on disk:\\n- \\"file\\"/u);
      });
    }));
});

describe("an agent's rewind", () => {
  it("can be undone the next day, after more prompts, byte for byte", async () =>
    withAgent(async (scene) => {
      const { sh, session, prompt, step, workspace } = scene;
      sh("printf one > file; mkdir src; printf one > src/a");
      const to = await prompt("go");
      await step(
        "rm -rf src; printf two > file; mkdir -p deep/er; head -c 5000 /dev/urandom > deep/er/data; chmod 0600 file",
      );
      const left = looksOf(workspace);
      const { journey } = await session.rewind({ to, scope: "both" });
      await prompt("something else");
      await step("printf else > else");
      await tomorrow(scene, async (next) => {
        await next.prompt("and more");
        await next.session.rewind({ to, scope: "both" });
        await next.session.redo(journey);
        expect(looksOf(workspace)).toEqual(left);
      });
    }));
});

describe("a capture that is slow or fails", () => {
  it("does not hold up the prompt, is visibly pending, and a later one makes good what was cut off", async () =>
    withAgent(async ({ sh, session }) => {
      sh("mkdir many; n=0; while [ $n -lt 300 ]; do echo $n > many/$n; n=$((n+1)); done");
      const { checkpoint } = await session.prompt("go");
      expect(await session.filesAt(checkpoint)).toEqual({ state: "pending" });
      const stop = new AbortController();
      stop.abort();
      const cut = session.capture({ checkpoint, author: "outside", signal: stop.signal });
      await expect(cut).rejects.toSatisfy((error) => isWorldlineError(error, "CANCELLED"));
      expect(await session.filesAt(checkpoint)).toEqual({ state: "pending" });
      await expect(session.rewind({ to: checkpoint, scope: "files" })).rejects.toMatchObject({
        code: "REWIND_REFUSED",
      });
      await session.capture({ checkpoint, author: "outside" });
      expect(await session.filesAt(checkpoint)).toMatchObject({ state: "complete" });
    }));

  it("is written down with its reason, and the turn after it is captured again", async () =>
    withAgent(async ({ sh, session, prompt, home }) => {
      sh("printf one > file");
      // A file at a path where the store needs a folder, so nothing can be written there, not even by root.
      sh(`mkdir -p '${home}/snapshots'; printf x > '${home}/snapshots/segments'`);
      const first = await prompt("go");
      expect(await session.filesAt(first)).toMatchObject({ state: "none", why: expect.any(String) });
      await expect(session.rewind({ to: first, scope: "files" })).rejects.toMatchObject({
        code: "REWIND_REFUSED",
      });
      sh(`rm '${home}/snapshots/segments'`);
      const second = await prompt("go on");
      expect(await session.filesAt(second)).toMatchObject({ state: "complete" });
      sh("rm file");
      await session.rewind({ to: second, scope: "files", choice: "take" });
      expect(sh("cat file")).toBe("one");
    }));
});
