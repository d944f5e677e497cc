import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSession } from "../../../../src/open-session.ts";
import { withExecutions } from "./with-executions.ts";

const SECRET = "sk-live-4242/abc.def";

describe("worldline forget, in executions", () => {
  it("takes a secret out of the bytes that a program has saved, long ones too", async () => {
    const place = withExecutions();
    const execution = await place.open("exec-1");
    const long = Buffer.concat([Buffer.alloc(100_001, 7), Buffer.from(SECRET)]);
    await execution.save({ name: "one", index: 0, variables: Buffer.from(SECRET), state: { long } });
    await execution.close();
    const said = await place.worldline(["forget", SECRET, "--yes", "--json"]);
    expect(JSON.parse(said.stdout)).toMatchObject({
      sessions: [{ session: execution.session, entries: 1, times: 2 }],
      left: [],
    });
    const again = await place.open("exec-1");
    const [step] = await again.checkpoints();
    await again.close();
    expect(step?.variables).toEqual(Buffer.alloc(SECRET.length));
    expect(step?.state).toEqual({
      long: Buffer.concat([long.subarray(0, 100_001), Buffer.alloc(SECRET.length)]),
    });
    const ending = Buffer.from(SECRET).toString("base64").slice(0, -4);
    const holders = readdirSync(place.home, { recursive: true, encoding: "utf8", withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name))
      .filter((path) => readFileSync(path, "utf8").includes(ending));
    expect(holders).toEqual([]);
  });

  it("says which execution has it in its id, and how that is removed", async () => {
    const place = withExecutions();
    const { home, workspace, worldline } = place;
    const session = await openSession({ home, workspace });
    await session.prompt(`use ${SECRET}`);
    await session.close();
    const execution = await place.open(`with ${SECRET}`);
    await execution.save({ name: "one", index: 0 });
    await execution.close();
    const refused = JSON.parse((await worldline(["forget", SECRET, "--yes", "--json"])).stdout);
    expect(refused.error).toEqual({
      code: "INPUT_INVALID",
      reason: "forget-execution-name",
      params: { session: execution.session },
      message: `In session ${execution.session}, the text is also part of an execution's name, which cannot be changed.`,
      hint: `Nothing was changed. Run the command again after you permanently delete that execution: worldline executions delete ${execution.session}, then worldline sessions delete --empty-trash`,
    });
    expect((await worldline(`executions delete ${execution.session} --yes`)).code).toBe(0);
    expect((await worldline("sessions delete --empty-trash --yes")).code).toBe(0);
    expect((await worldline(["forget", SECRET, "--yes"])).code).toBe(0);
  });
});
