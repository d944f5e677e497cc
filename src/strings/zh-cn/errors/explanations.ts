import type { providers as englishProviders } from "../../en/errors/explanations.ts";
import type { Translated } from "../../errors/texts.ts";

export const providers: Translated<typeof englishProviders> = {
  "provider-without-key": {
    message: ({ variable }) =>
      variable === undefined ? "没有密钥：尚未保存。" : `没有密钥：未设置 ${variable}，也没有保存密钥。`,
  },
  "provider-key-set": { message: ({ variable }) => `已设置 ${variable}。` },
  "provider-key-stored": { message: () => "已保存密钥。" },
  "provider-needs-no-key": { message: () => "不需要密钥。" },
  "provider-address-invalid": { message: ({ address }) => `base URL 无效：${address}` },
  "provider-silent": { message: ({ address }) => `${address} 没有服务器应答` },
  "provider-models": {
    message: ({ count }) => (count === 0 ? "服务器上还没有模型。" : `服务器上有 ${count} 个模型。`),
  },
};
