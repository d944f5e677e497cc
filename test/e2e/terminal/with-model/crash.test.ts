import { describe, expect, it } from "vitest";
import { heardIn, lastRequest } from "../support/heard.ts";
import { answer, opened, say } from "../support/person.ts";
import type { Pty } from "../support/pty.ts";
import { byPrompt, calls } from "../support/replies.ts";
import type { Scene } from "../support/scene.ts";
import { openWorldline } from "../support/story.ts";

// If the command outlives the kill, it still ends with the test, when the workspace is removed.
const COMMAND = "echo half > bread.txt; while [ -e notes.txt ]; do sleep 0.1; done";

/** A session whose program was killed during a command of the agent that had already written a file. */
async function killedAtWork(): Promise<{ readonly scene: Scene; readonly again: Pty }> {
  const { terminal, scene } = await openWorldline({
    script: byPrompt({
      "Bake the bread": [
        calls("Bash", { command: COMMAND }),
        calls("Read", { file_path: "notes.txt" }),
        { text: "The bread is baked." },
      ],
    }),
    arguments: ["--permission-mode", "auto"],
  });
  await opened(terminal);
  say(terminal, "Bake the bread");
  await expect.poll(() => scene.read("bread.txt"), { timeout: 20_000 }).toBe("half\n");
  await terminal.waitFor("Bash echo half");
  process.kill(terminal.pid, "SIGKILL");
  await terminal.exit();
  const again = scene.open({ arguments: ["-c", "--permission-mode", "auto"] });
  await again.waitFor("The last turn was interrupted at step 2");
  await again.waitFor("Started but not finished; may or may not have taken effect:");
  await again.waitFor("4. Leave it");
  return { scene, again };
}

describe("a session whose program was killed at work", () => {
  it("shows its state, and continues with the open call reported", async () => {
    const { again, scene } = await killedAtWork();
    await again.waitFor(/^asked +Bake the bread$/mu);
    await answer(again, "1");
    await again.waitFor("The bread is baked.");
    expect(heardIn(lastRequest(scene))).toContain("Interrupted; it is not known whether it took effect.");
    expect(scene.server?.requests).toHaveLength(3);
  });

  it("calls the model again from where the step began", async () => {
    const { again, scene } = await killedAtWork();
    await answer(again, "2");
    await again.waitFor("The bread is baked.");
    const heard = heardIn(lastRequest(scene));
    expect(heard).not.toContain("Interrupted");
    expect(heard).toMatch(/These files differ from how they were at this point:\n- "bread\.txt"/u);
    expect(scene.server?.requests).toHaveLength(3);
  });

  it("takes back the files of the step, and only them", async () => {
    const { again, scene } = await killedAtWork();
    await answer(again, "3");
    await again.waitFor("Files: 0 created, 0 changed, 1 deleted");
    await again.waitFor("Still running");
    await answer(again, "s");
    await again.waitFor("s keep them running");
    again.press("enter");
    await again.waitFor("Restored to checkpoint:");
    expect(scene.read("bread.txt")).toBeUndefined();
    expect(scene.server?.requests).toHaveLength(1);
  });

  it("is left as it is on request", async () => {
    const { again, scene } = await killedAtWork();
    await answer(again, "4");
    await again.waitFor("Ask anything");
    expect(scene.read("bread.txt")).toBe("half\n");
    expect(scene.server?.requests).toHaveLength(1);
  });
});
