import { describe, expect, it, onTestFinished } from "vitest";
import { openModelServer } from "../../../src/testing/testing.ts";
import { playground } from "../support/command-line.ts";

const CHINESE = { LANG: "zh_CN.UTF-8" };

describe("a command whose user reads Chinese", () => {
  it("says in Chinese why a provider can be used or not, and in English to programs", async () => {
    const { worldline } = playground();
    const environment = { ...CHINESE, OPENAI_API_KEY: "sk-1" };
    const { stdout } = await worldline("models", { environment });
    expect(stdout).toContain("没有密钥：未设置 ANTHROPIC_API_KEY，也没有保存密钥。");
    expect(stdout).toContain("已设置 OPENAI_API_KEY。");
    expect(stdout).not.toMatch(/No key|is set/u);
    const { providers } = JSON.parse((await worldline("models --json", { environment })).stdout);
    expect(providers[0]).toMatchObject({
      name: "anthropic",
      why: "No key: ANTHROPIC_API_KEY is not set, and no key is stored.",
      reason: "provider-without-key",
      params: { variable: "ANTHROPIC_API_KEY" },
    });
  });

  it("says in Chinese why no model is chosen", async () => {
    const { worldline } = playground();
    const { stdout } = await worldline("models", { environment: CHINESE });
    expect(stdout).toMatch(/没有选择模型，也没有密钥。/u);
    expect(stdout).not.toContain("No model is chosen");
  });

  it("says in Chinese why there are no files", async () => {
    const { worldline } = playground();
    const environment = { ...CHINESE, WORLDLINE_FILE_CHECKPOINTING: "false" };
    const made = await worldline("checkpoint", { environment });
    expect(made.stdout).toContain("不含文件：检查点功能未启用");
    const ran = await worldline(["run", "--", "true"], { environment });
    expect(ran.stderr).toContain("检查点功能未启用");
    expect(made.stdout + ran.stderr).not.toMatch(/enabled|false/u);
    const { files } = JSON.parse((await worldline("checkpoint --json", { environment })).stdout);
    expect(files).toEqual({
      state: "none",
      why: "Checkpoint feature not enabled",
      reason: "checkpointing-off",
      params: {},
    });
  });

  it.each([
    ["context", "无法得知上下文占用了多少：/"],
    ["stats", "警告"],
    ["config set trash.days 7 --where local", "设置"],
  ])("is warned in Chinese of a broken settings file by `%s`", async (line, said) => {
    const { worldline, write } = playground();
    await worldline("checkpoint", { environment: CHINESE });
    write("user", '{ "trash": { "days": "many" } }');
    const { stderr } = await worldline(line, { environment: CHINESE });
    expect(stderr).toContain(said);
    expect(stderr).toMatch(/trash\.days/u);
    expect(stderr).not.toMatch(/must|whole number/u);
  });

  it("is told in Chinese that a key does not work", async () => {
    const { worldline } = playground();
    const body = { type: "error", error: { type: "authentication_error", message: "bad" } };
    const server = await openModelServer(() => ({ misbehave: { do: "status", status: 401, body } }));
    onTestFinished(() => server.close());
    const environment = { ...CHINESE, ANTHROPIC_BASE_URL: server.url };
    const { code, stderr } = await worldline("setup anthropic", { piped: "sk-wrong-key\n", environment });
    expect(code).toBe(41);
    expect(stderr).toMatch(/不接受 anthropic\/\S+ 的密钥（状态码 401）/u);
    expect(stderr).toContain("没有保存任何内容");
    expect(stderr).not.toMatch(/does not accept|Nothing|Change/u);
  });

  it("is told in Chinese what a field of a setting must be", async () => {
    const { worldline, write } = playground();
    write("user", '{ "providers": { "house": { "kind": "compatible", "baseUrl": "house" } } }');
    const { stderr } = await worldline("config", { environment: CHINESE });
    expect(stderr).toContain("应为以 http:// 或 https:// 开头的地址（baseUrl）");
  });
});
