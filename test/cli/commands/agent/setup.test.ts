import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openModelServer, type ScriptedReply } from "../../../../src/testing/testing.ts";
import { playground } from "../../support/command-line.ts";

const KEY = "sk-very-secret-123";

async function serverThatSays(reply: ScriptedReply) {
  const server = await openModelServer(() => reply);
  onTestFinished(() => server.close());
  return { server, environment: { ANTHROPIC_BASE_URL: server.url } };
}

const keysOf = (home: string) => JSON.parse(readFileSync(join(home, "keys.json"), "utf8"));

describe("setup", () => {
  it("tries a key with one call and keeps it where only its owner can read it", async () => {
    const { home, worldline } = playground();
    const { server, environment } = await serverThatSays({ text: "ready" });
    const said = await worldline("setup anthropic --json", { piped: `${KEY}\n`, environment });
    expect(said).toMatchObject({ code: 0, stderr: "" });
    const file = join(home, "keys.json");
    expect(JSON.parse(said.stdout)).toEqual({
      provider: "anthropic",
      key: "kept",
      file,
      tested: expect.stringMatching(/^anthropic\//u),
    });
    expect(keysOf(home)).toEqual({ ANTHROPIC_API_KEY: KEY });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(server.requests.map(({ headers }) => headers["x-api-key"])).toEqual([KEY]);
  });

  it("asks for it at a terminal and shows it nowhere", async () => {
    const { home, worldline } = playground();
    const { environment } = await serverThatSays({ text: "ready" });
    const said = await worldline("setup anthropic", { typed: `${KEY}\n`, environment });
    expect(said.code).toBe(0);
    expect(said.stdout).toContain("The key works: anthropic/");
    expect(said.stdout + said.stderr).not.toContain(KEY);
    expect(keysOf(home)).toEqual({ ANTHROPIC_API_KEY: KEY });
  });

  it("keeps nothing that the provider refuses, and quotes it nowhere", async () => {
    const { home, worldline } = playground();
    const body = { type: "error", error: { type: "authentication_error", message: `no such key: ${KEY}` } };
    const { environment } = await serverThatSays({ misbehave: { do: "status", status: 401, body } });
    const said = await worldline("setup anthropic --json", {
      piped: KEY,
      environment: { ...environment, WORLDLINE_DEBUG: "1" },
    });
    expect(said.code).toBe(41);
    expect(JSON.parse(said.stdout)).toMatchObject({ error: { code: "MODEL_KEY" } });
    expect(said.stdout + said.stderr).not.toContain(KEY);
    expect(existsSync(join(home, "keys.json"))).toBe(false);
  });

  it("keeps it untried where that is asked for, and removes it again; the others stay", async () => {
    const { home, worldline } = playground();
    await worldline("setup openai --without-test", { piped: "other" });
    const kept = await worldline("setup anthropic --without-test", {
      piped: KEY,
      environment: { ANTHROPIC_API_KEY: "from outside" },
    });
    expect(kept.stdout).toContain("The key was not tested.");
    expect(kept.stderr).toContain("warning: ANTHROPIC_API_KEY is set");
    expect(keysOf(home)).toEqual({ OPENAI_API_KEY: "other", ANTHROPIC_API_KEY: KEY });
    const removed = await worldline("setup anthropic --remove --json");
    expect(JSON.parse(removed.stdout)).toMatchObject({ provider: "anthropic", key: "removed" });
    expect(keysOf(home)).toEqual({ OPENAI_API_KEY: "other" });
    expect(statSync(join(home, "keys.json")).mode & 0o777).toBe(0o600);
    expect(JSON.parse((await worldline("setup anthropic --remove --json")).stdout)).toMatchObject({
      key: "not-kept",
    });
  });

  it.each([
    [["setup"], "x", 2],
    [["setup", KEY], "x", 42],
    [["setup", "anthropic", KEY], "x", 2],
    [["setup", "anthropic", `-${KEY}`], "x", 2],
    [["setup", "anthropic"], "", 42],
    [["setup", "anthropic", "--without-test"], `${KEY} with blanks`, 42],
    [["setup", "nobody"], "x", 42],
  ])("refuses %j and repeats nothing of it", async (line, piped, code) => {
    const { home, worldline } = playground();
    const said = await worldline(line, { piped });
    expect(said.code).toBe(code);
    expect(said.stdout + said.stderr).not.toContain("very-secret");
    expect(existsSync(join(home, "keys.json"))).toBe(false);
  });

  it("asks for no key and makes no call where the key cannot be kept", async () => {
    const { home, worldline } = playground();
    const { server, environment } = await serverThatSays({ text: "ready" });
    writeFileSync(home, "no folder");
    const said = await worldline("setup anthropic --json", { piped: KEY, environment });
    expect(said.code).toBe(1);
    expect(JSON.parse(said.stdout).error).toEqual({
      code: "STORE_UNWRITABLE",
      reason: "write-failed",
      params: {
        errno: "ENOTDIR",
        place: home,
        refusal: "not-a-folder",
        stored: { what: "model-keys", of: join(home, "keys.json") },
      },
      message: `The key file ${join(home, "keys.json")} could not be written (ENOTDIR).`,
      hint: expect.stringContaining("set WORLDLINE_HOME to another folder"),
    });
    expect(server.requests).toEqual([]);
  });

  it("leaves nothing next to the file of keys", async () => {
    const { home, worldline } = playground();
    await worldline("setup anthropic --without-test", { piped: KEY });
    expect(readdirSync(home)).toEqual(["keys.json"]);
  });

  it("says that a server on this machine needs no key", async () => {
    const said = await playground().worldline("setup ollama");
    expect(said).toMatchObject({ code: 0, stdout: "ollama needs no key.\n" });
  });
});

describe("models", () => {
  it("lists every provider, whether it can be used and why not, and what would be chosen", async () => {
    const server = await openModelServer(() => ({ text: "hello" }));
    onTestFinished(() => server.close());
    const environment = { ...server.environment("anthropic"), OLLAMA_HOST: "127.0.0.1:1" };
    const said = await playground().worldline("models --json", { environment });
    expect(said.code).toBe(0);
    const { providers, chosen } = JSON.parse(said.stdout);
    expect(chosen).toMatchObject({ model: expect.stringMatching(/^anthropic\//u), windowIs: "known" });
    const byName = new Map<string, unknown>(
      providers.map(({ name, ...rest }: { name: string }) => [name, rest]),
    );
    expect(byName.get("anthropic")).toMatchObject({ usable: "yes" });
    expect(byName.get("openai")).toMatchObject({
      usable: "no",
      why: expect.stringContaining("OPENAI_API_KEY"),
    });
    expect(byName.get("ollama")).toMatchObject({ usable: "no" });
    expect(said.stdout).not.toContain("scripted-key");
    expect(server.requests).toEqual([]);
  });

  it.each([
    ["are readable by others", { text: "{}", mode: 0o644 }, /^Other users can read the keys/u],
    ["are no JSON", { text: "{", mode: 0o600 }, /^The keys in \S+ are not a JSON object/u],
  ])("lists the providers, and says why kept keys that %s are not used", async (_, { text, mode }, why) => {
    const { home, worldline } = playground();
    mkdirSync(home);
    writeFileSync(join(home, "keys.json"), text, { mode });
    const environment = { OLLAMA_HOST: "127.0.0.1:1", OPENAI_API_KEY: KEY };
    const said = await worldline("models --json", { environment });
    expect(said.code).toBe(0);
    const { providers, warnings } = JSON.parse(said.stdout);
    const rows = providers.filter(({ name }: { name: string }) => ["anthropic", "openai"].includes(name));
    expect(rows).toMatchObject([
      { name: "anthropic", usable: "no", why: expect.stringMatching(why) },
      { name: "openai", usable: "yes" },
    ]);
    expect(warnings).toEqual([expect.stringMatching(why)]);
    const doctor = JSON.parse((await worldline("doctor --json")).stdout);
    expect(doctor.checks).toContainEqual(
      expect.objectContaining({ status: "error", message: expect.stringMatching(why) }),
    );
  });

  it("says in words that nothing is chosen without a key", async () => {
    const environment = { OLLAMA_HOST: "127.0.0.1:1" };
    const { code, stdout } = await playground().worldline("models", { environment });
    expect(code).toBe(0);
    expect(stdout).toContain("Default model (without --model): none. No model is selected");
  });
});
