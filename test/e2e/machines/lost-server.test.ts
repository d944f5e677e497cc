import { afterAll, beforeAll, expect, it } from "vitest";
import { type PostgresServer, startPostgres } from "../../../scripts/postgres-server.mjs";
import { describeWithPostgres } from "../../support/postgres/postgres.ts";
import { type Answer, eventsIn, OUTPUT, ofKind, refusedOf, resultsIn } from "../agent/support.ts";
import { byPrompt, calls } from "../terminal/support/replies.ts";
import { twoMachines } from "./support/two-machines.ts";

const COUNTS = "echo begun; while [ ! -e go ]; do sleep 0.05; done; echo ran >> runs.txt; touch done";

/** A turn whose database server was stopped during a command; the command itself has since finished. */
async function atWork(postgres: PostgresServer, patience: string) {
  const both = await twoMachines(
    byPrompt({
      Count: [calls("Bash", { command: COUNTS }), { text: "Counted." }, { text: "Counted after all." }],
    }),
    { url: `${postgres.url}${patience}` },
  );
  const turn = both.anna.start(["-p", "Count", "--output-format", "stream-json"]);
  await turn.until("stdout", OUTPUT);
  await postgres.stop();
  both.write("go", "");
  await expect.poll(() => both.read("done"), { timeout: 10_000 }).toBe("");
  const session = String(eventsIn(turn.said.stdout)[0]?.["session"]);
  return { ...both, turn, session };
}

describeWithPostgres("a database server that ends in the middle of a turn", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres({ fsync: "off" });
  });
  afterAll(async () => postgres.remove());

  it("is waited for, and the turn continues as if nothing had happened", async () => {
    const { anna, turn, session, ...both } = await atWork(postgres, "");
    await new Promise((resolve) => setTimeout(resolve, 500));
    await postgres.start();
    expect(await turn.ended).toBe(0);
    expect(eventsIn(turn.said.stdout).at(-1)).toMatchObject({ outcome: "done", answer: "Counted." });
    expect(both.read("runs.txt")).toBe("ran\n");
    const log = await anna.log(session);
    expect(ofKind(log, "tool-end")).toMatchObject([{ outcome: "ok" }]);
    expect(both.leaks()).toEqual([]);
  });

  it("ends the turn if it stays away, and once it is back the session continues without a loss", async () => {
    const { anna, turn, session, ...both } = await atWork(postgres, "?connect_timeout=1");
    expect(await turn.ended).toBe(1);
    const end = eventsIn(turn.said.stdout).at(-1);
    expect(end).toMatchObject({ type: "turn-end", outcome: "failed", error: { code: "STORE_UNREACHABLE" } });
    expect((end?.["error"] as Answer["error"])?.hint).toContain(
      "The session continues when the server is available again",
    );
    await postgres.start();
    const on = await anna.worldline(["resume", session, "--continue"]);
    expect(on).toMatchObject({ code: 0, stdout: "Counted.\n" });
    expect(on.stderr).toContain("was started but did not finish, so it may or may not have taken effect");
    expect(resultsIn(both.server.requests.at(-1)).at(-1)).toMatch(/^Interrupted; it is not known/u);
    expect(ofKind(await anna.log(session), "tool-start")).toHaveLength(1);
    expect(both.read("runs.txt")).toBe("ran\n");
    expect([refusedOf(both), both.leaks()]).toEqual([[], []]);
  });
});
