import { expect, it } from "vitest";
import { describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { byPrompt, calls } from "../terminal/support/replies.ts";
import { claudeScene } from "./support/claude-scene.ts";

describeWithClaude("a session of each host in one workspace", () => {
  it("are both listed, and each goes on with its own", async () => {
    const write = (content: string) => calls("Write", { file_path: "shared.txt", content });
    const scene = await claudeScene({
      script: byPrompt({
        "Ours begins": [write("ours\n"), { text: "Begun by ours." }],
        "Claude begins": [calls("Bash", { command: "echo claude > shared.txt", description: "x" }), { text: "Begun by Claude." }],
        "Ours goes on": [{ text: "Ours has gone on." }],
        "Claude goes on": [{ text: "Claude has gone on." }],
      }),
    });
    const ask = async (...args: string[]) => {
      const { code, stdout, stderr } = await scene.run(...args, "--json");
      console.log(stderr);
      return { code, ...JSON.parse(stdout) };
    };
    const ours = await ask("-p", "Ours begins");
    const claude = await ask("-p", "Claude begins", "--host", "claude");
    expect([ours.answer, claude.answer]).toEqual(["Begun by ours.", "Begun by Claude."]);
    console.log((await scene.run("sessions", "list")).stdout, (await ask("sessions", "list")));
    console.log(await ask("-r", ours.session, "-p", "Ours goes on"));
    console.log(await ask("-r", claude.session, "-p", "Claude goes on"));
    console.log(scene.server?.requests.map((r) => [r.model, r.headers["x-claude-code-session-id"]]));
    console.log(await scene.run("rewind", "1", "--yes", "--session", claude.session));
    console.log(scene.read("shared.txt"));
    console.log(await scene.run("rewind", "1", "--yes", "--session", ours.session));
    console.log(scene.read("shared.txt"));
  });
});
