import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startContainer } from "../disk/container.ts";
import { machine } from "./binary.ts";

it("a session of a container is its own while it lives or is suspended, and free when it was killed", async () => {
  const { home, worldline } = machine();
  expect(await worldline(["checkpoint", "first"])).toMatchObject({ code: 0 });
  const [session = ""] = readdirSync(join(home, "sessions"));
  const container = await startContainer(home, session);
  const write = async (...more: readonly string[]) =>
    worldline(["sessions", "rename", session, "taken", "--setting", "lock.waitMs=0", ...more]);
  const held = { code: 1, stderr: expect.stringContaining("is in use by in a container") };

  expect(await write()).toMatchObject(held);
  container.suspend();
  expect(await write("--take-over")).toMatchObject(held);
  container.resume();
  await container.kill();
  expect(await write()).toMatchObject({ code: 0 });
  expect(await worldline(["doctor"])).toMatchObject({ code: 0 });
});
