import { expect, it, onTestFinished } from "vitest";
import { openModelServer } from "../../../src/testing/testing.ts";
import { playground } from "../../cli/support/command-line.ts";
import { claudePlace } from "../../support/claude/claude-place.ts";
import { claudeSdkFolder, describeWithClaude } from "../../support/claude/describe-with-claude.ts";
import { claudeScript, seriesOf } from "../../support/claude/series.ts";

describeWithClaude("worldline --host claude", () => {
  it("answers once, and is the host with which the session continues", async () => {
    const server = await openModelServer(
      claudeScript({ main: [{ text: "First." }, { text: "Second." }, { text: "Third." }] }),
    );
    onTestFinished(() => server.close());
    const claude = claudePlace();
    const { worldline } = playground();
    const environment = { ...claude.environment(server), WORLDLINE_CLAUDE_SDK: claudeSdkFolder() };
    const ask = async (...words: string[]) => {
      const { stdout, code, stderr } = await worldline(["-p", ...words, "--json"], { environment });
      return { code, stderr, document: JSON.parse(stdout) as Record<string, unknown> };
    };
    const first = await ask("begin", "--host", "claude");
    expect(first).toMatchObject({ code: 0, stderr: "", document: { answer: "First." } });
    const second = await ask("go on", "-c");
    expect(second).toMatchObject({
      code: 0,
      document: { answer: "Second.", session: first.document["session"] },
    });
    const third = await ask("leave nothing", "--no-session", "--host", "claude");
    expect(third).toMatchObject({ code: 0, document: { answer: "Third." } });
    expect(third.document["session"]).not.toBe(first.document["session"]);
    const { stdout } = await worldline("sessions list --json", { environment });
    expect(JSON.parse(stdout)).toMatchObject({ sessions: [{ id: first.document["session"] }] });
  });

  it("has its own conversation compacted by the SDK", async () => {
    const server = await openModelServer(
      claudeScript({
        main: ["First.", "Second.", "Third."].map((text) => ({ text })),
        summaries: ["They greeted each other."],
      }),
    );
    onTestFinished(() => server.close());
    const claude = claudePlace();
    const { worldline } = playground();
    const environment = { ...claude.environment(server), WORLDLINE_CLAUDE_SDK: claudeSdkFolder() };
    await worldline(["-p", "hello", "--host", "claude"], { environment });
    for (const prompt of ["and again", "and once more"])
      await worldline(["-p", prompt, "-c"], { environment });
    expect(await worldline("compact --dry-run", { environment })).toMatchObject({ code: 42, stdout: "" });
    const { code, stdout } = await worldline("compact --json", { environment });
    expect({ code, document: JSON.parse(stdout) }).toMatchObject({ code: 0, document: { changed: true } });
    expect(server.requests.map(seriesOf)).toEqual(["main", "main", "main", "compaction"]);
  });
});
