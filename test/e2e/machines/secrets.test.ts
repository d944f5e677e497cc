import { expect, it } from "vitest";
import { describeWithPostgres } from "../../support/postgres/postgres.ts";
import { resultsIn } from "../agent/support.ts";
import { byPrompt, calls } from "../terminal/support/replies.ts";
import { twoMachines } from "./support/two-machines.ts";

describeWithPostgres("the password of a database", () => {
  it("appears nowhere: not to the user, not to the model and its commands, not in a file", async () => {
    const both = await twoMachines(
      byPrompt({ "Show me": [calls("Bash", { command: "env; echo over" }), { text: "Shown." }] }),
    );
    const { anna, url, server } = both;
    const { session } = await anna.ask("Show me");
    expect(resultsIn(server.requests[1]).at(-1)).toMatch(/WORLDLINE_STORE=postgres:\/\/worldline@127/u);
    const wrong = url.replace("/test_", "/no_such_");
    const nowhere = url.replace(/:\d+\//u, ":9/").replace("?", "?connect_timeout=1&");
    const said = await Promise.all([
      anna.worldline(["doctor", "--json"]),
      anna.worldline(["doctor"]),
      anna.worldline(["sessions", "show", session]),
      anna.worldline(["config", "--json"]),
      anna.worldline(["config", "set", "model", "anthropic/scripted-model"]),
      anna.worldline(["sessions", "export", session]),
      anna.worldline(["sessions"], { WORLDLINE_STORE: wrong }),
      anna.worldline(["--store", wrong, "resume", session, "--json"], { WORLDLINE_STORE: "" }),
      anna.worldline(["--store", url, "resume", session], { WORLDLINE_STORE: "" }),
      anna.worldline(["-p", "Show me", "--output-format", "json"], { WORLDLINE_STORE: nowhere }),
      anna.worldline(["sessions"], { WORLDLINE_STORE: url.replace("@", "%%@") }),
    ]);
    expect(said.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 42]);
    expect(both.leaks()).toEqual([]);
  });
});
