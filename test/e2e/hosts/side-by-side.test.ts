import { expect, it } from "vitest";
import { describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { byPrompt, calls } from "../terminal/support/replies.ts";
import { claudeScene } from "./support/claude-scene.ts";

describeWithClaude("two sessions in one workspace, of our agent and of Claude", () => {
  it("are both listed, each continue with their own host, and each go back independently", async () => {
    const command = "echo by Claude > theirs.txt";
    const scene = await claudeScene({
      script: byPrompt({
        "Ours begins": [
          calls("Write", { file_path: "ours.txt", content: "by ours\n" }),
          { text: "Begun by ours." },
        ],
        "Claude begins": [calls("Bash", { command, description: "Begin" }), { text: "Begun by Claude." }],
        "Ours goes on": [{ text: "Ours has gone on." }],
        "Claude goes on": [{ text: "Claude has gone on." }],
      }),
    });
    const data = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await scene.run(...args, "--json");
      expect([code, stderr]).toEqual([0, ""]);
      return JSON.parse(stdout);
    };
    const ours = await data("-p", "Ours begins");
    const claude = await data("-p", "Claude begins", "--host", "claude");
    expect([ours.answer, claude.answer]).toEqual(["Begun by ours.", "Begun by Claude."]);
    const { sessions } = await data("sessions", "list");
    expect(sessions).toMatchObject([
      { id: claude.session, host: "claude" },
      { id: ours.session, title: "Ours begins" },
    ]);

    expect(await data("-r", ours.session, "-p", "Ours goes on")).toMatchObject({
      session: ours.session,
      answer: "Ours has gone on.",
    });
    expect(await data("-r", claude.session, "-p", "Claude goes on")).toMatchObject({
      session: claude.session,
      answer: "Claude has gone on.",
    });
    const byClaude = scene.server?.requests.map(({ headers }) => "x-claude-code-session-id" in headers);
    expect(byClaude).toEqual([false, false, true, true, false, true]);

    const files = (): unknown => [scene.read("ours.txt"), scene.read("theirs.txt")];
    await data("rewind", "1", "--yes", "--session", claude.session);
    expect(files()).toEqual(["by ours\n", undefined]);
    await data("rewind", "1", "--yes", "--session", ours.session);
    expect(files()).toEqual([undefined, undefined]);
    await data("redo", "--yes", "--session", claude.session);
    expect(files()).toEqual([undefined, "by Claude\n"]);
  });
});
