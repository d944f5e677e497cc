import type { stores as english } from "../en/stores.ts";
import type { Translated } from "../texts.ts";

export const stores: Translated<typeof english> = {
  "session-unknown": {
    message: ({ session }) => `没有会话 ${session}`,
    hint: (_, { command }) => `\`${command("sessions list")}\` 会列出已有的会话。`,
  },
  "session-exists": {
    message: ({ session }) => `会话 ${session} 已存在。`,
    hint: () => "会话从不被覆盖，请换一个 id。",
  },
  "session-has-no-id": { message: () => "会话没有 id。" },
};
