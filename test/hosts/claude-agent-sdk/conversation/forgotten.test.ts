import { expect, it } from "vitest";
import { systemClock } from "../../../../src/disk/system-clock.ts";
import { performForget } from "../../../../src/machine/forget/perform-forget.ts";
import { openFilesStore } from "../../../../src/stores/files/files.ts";
import { describeWithClaude } from "../../../support/claude/describe-with-claude.ts";
import { claudeStage } from "../support/claude-stage.ts";
import { hostSession, lastShown, messageLines, obliging } from "../support/wire.ts";

const SECRET = "hunter2-hunter2";

describeWithClaude("a conversation in which something was forgotten", () => {
  it("continues from our own record, and the SDK's session that had it stays unchanged", async () => {
    const stage = await claudeStage({ responder: obliging });
    await stage.agent.prompt("begin");
    await stage.agent.prompt(`my password is ${SECRET}`);
    const knowing = await hostSession(stage);
    await stage.agent.close();
    const lines = messageLines(knowing);
    expect(lines.join("\n")).toContain(SECRET);

    const store = openFilesStore({ root: stage.home, clock: systemClock });
    const report = await performForget(
      { store, clock: systemClock },
      { what: "text", text: SECRET },
      { name: "a test" },
    );
    await store.close();
    expect(report.hostSessions).toEqual([{ host: "claude", hostSession: knowing }]);

    const again = await stage.again();
    const asked = stage.server.requests.length;
    await again.agent.prompt("and now");
    const since = stage.server.requests.slice(asked);
    expect(since.length).toBeGreaterThan(0);
    expect(JSON.stringify(since.map(({ body }) => body))).not.toContain(SECRET);
    const shown = lastShown(again).join("\n");
    expect(shown).toContain("my password is [forgotten]");
    expect(shown).toMatch(/> and now$/u);
    expect(await hostSession(again)).not.toBe(knowing);
    expect(messageLines(knowing)).toEqual(lines);

    await again.agent.prompt("once more");
    expect(lastShown(again).slice(-3)).toEqual(["> and now", "on and now", "> once more"]);
  });
});
