import type {
  choosingModels as englishChoosingModels,
  httpFaults as englishFaults,
  models as englishModels,
  KeyFrom,
  Reached,
  SettingPlace,
  Unreachable,
} from "../../en/errors/models.ts";
import type { Translated } from "../../errors/texts.ts";

export const httpFaults: Translated<typeof englishFaults> = {
  "http-too-large": { message: ({ megabytes }) => `它超过 ${megabytes} MB。` },
  "http-too-many-parts": { message: ({ most }) => `它的部分超过 ${most} 个。` },
  "http-too-long": { message: () => "它比任何模型的回复都长。" },
  "http-encoded-often": { message: () => "它的编码层数过多。" },
  "http-encoding-unknown": { message: ({ encoding }) => `它使用的编码是 ${encoding}。` },
  "http-status-invalid": { message: ({ status }) => `它的状态码是 ${status}。` },
};

export const models: Translated<typeof englishModels> = {
  "no-model": {
    message: ({ variables }) =>
      `没有选择模型，也没有密钥。已查看 --model、设置“model”、保存的密钥和 ${variables.join(", ")}。`,
    hint: (_, { command, place }) => {
      const model = (name: string): string =>
        place === "screen" ? command({ do: "start", model: name }) : `--model ${name}`;
      return `请运行 \`${command({ do: "setup" })}\`，设置其中一个变量，使用本机上的模型（\`${model("ollama/<name>")}\`），或者，如果是要查明什么使测试失败，则不需要模型：\`${model("worldline/finder")}\`。`;
    },
  },
  "no-key": {
    message: ({ model, variables }) =>
      `没有 ${model} 的密钥。已查看 ${variables.join(" 和 ")} 以及保存的密钥。`,
    hint: ({ variables: [first] }, { command }) =>
      `请设置 ${first ?? "其密钥"}，或运行 \`${command({ do: "setup" })}\`。`,
  },
  "base-url-invalid": {
    message: ({ provider, baseUrl }) => `${provider} 的地址无效：${baseUrl}`,
    hint: ({ from }) =>
      `请在${from === "settings" ? "设置 `providers` " : "环境变量"}中改正；它形如 https://host/v1。`,
  },
  "provider-unknown": {
    message: ({ model }) => `${model} 没有指明提供方`,
    hint: ({ providers }) =>
      `请写成 provider/name。提供方：${providers.join(", ")}；不需要密钥的：worldline/finder。可以在设置 \`providers\` 中添加其他提供方。`,
  },
  "no-default-model": {
    message: ({ provider }) => `${provider} 没有默认模型。`,
    hint: ({ provider }, { command }) =>
      `请写成 ${provider}/<model>。\`${command({ do: "models" })}\` 会列出它的模型。`,
  },
  "model-name-unknown": {
    message: ({ model }) => `不清楚哪个提供方有模型 ${model}`,
    hint: ({ model, providers }) =>
      `请写成 provider/${model}。提供方：${providers.join(", ")}；不需要密钥的：worldline/finder。`,
  },
  "key-invalid": {
    message: () => "这不是密钥：它是空的，或含有空格或换行。",
    hint: () => "请从提供方的页面重新复制。",
  },
  "keys-unreadable": {
    message: ({ path }) => `无法读取 ${path} 中的密钥。`,
    hint: (_, { command }) => `请检查文件的所有者，或删除它并运行 \`${command({ do: "setup" })}\`。`,
  },
  "keys-open-to-others": {
    message: ({ path }) => `其他用户可以读取 ${path} 中的密钥，因此不使用它们。`,
    hint: ({ path }) => `请运行 \`chmod 600 ${path}\`；如果还有其他人使用这台机器，请在提供方处更换密钥。`,
  },
  "keys-not-an-object": {
    message: ({ path }) => `${path} 中的密钥不是 JSON 对象。`,
    hint: (_, { command }) =>
      `其中的行形如 "ANTHROPIC_API_KEY": "..."。请改正，或删除它并运行 \`${command({ do: "setup" })}\`。`,
  },

  "model-cancelled": { message: () => "对模型的调用已取消。" },
  "reply-cut": { message: ({ model }) => `${model} 的输出流在回复完整之前中断。` },
  "reply-ended-oddly": { message: ({ model, end }) => `${model} 的输出流中断：它以“${end}”结束。` },
  "reply-silent": { message: ({ model, seconds }) => `${model} 的输出流中断：${seconds} 秒内没有内容。` },
  "reply-empty": {
    message: ({ model, limit }) =>
      `${model} 的回复为空：${limit === "hit" ? "它在输出任何内容之前就达到了上限" : "没有文本，也没有工具调用"}。`,
  },
  "reply-refused": {
    message: ({ model }) => `${model} 拒绝回答：其内容过滤器中止了回复。`,
    hint: (_, { command }) => `请换一种说法，或用 \`${command({ do: "rewind" })}\` 回到它之前。`,
  },
  "reply-unusable": {
    message: ({ model, code, said }, { message }) => `${model} 的回答无法使用（${code}）：${message(said)}`,
    hint: ({ baseUrl }) => `请检查 ${baseUrl} 是否是模型服务器的地址。`,
  },
  "key-unsendable": {
    message: ({ model }) => `${model} 的密钥含有密钥中不会有的字符。`,
    hint: ({ key }, { command }) => keyAdvice(key, command({ do: "setup" })),
  },
  "key-refused": {
    message: ({ model, baseUrl, status, said }) =>
      `${baseUrl} 不接受 ${model} 的密钥（状态码 ${status}）：${reasonGiven(said)}`,
    hint: ({ key }, { command }) => keyAdvice(key, command({ do: "setup" })),
  },
  "model-failed": { message: ({ model, said }) => `${model} 失败${said === "" ? "" : `：${said}`}` },
  "model-failed-with": {
    message: ({ model, status, said }) => `${model} 失败，状态码 ${status}：${reasonGiven(said)}`,
  },
  "model-refused": {
    message: ({ model, status, said }) => `${model} 拒绝了请求（状态码 ${status}）：${reasonGiven(said)}`,
  },
  "model-out-of-money": {
    message: ({ model, status, said }) => `${model} 拒绝了请求（状态码 ${status}）：${reasonGiven(said)}`,
    hint: () => "在提供方处的账户余额或配额已用完。",
  },
  "model-busy": { message: ({ model, said }) => `${model} 繁忙：${reasonGiven(said)}` },
  "context-too-long": {
    message: ({ model, said }) => `上下文对 ${model} 来说太长：${reasonGiven(said)}`,
    hint: (_, { command }) => `请用 \`${command({ do: "compact" })}\` 压缩，或选择窗口更大的模型。`,
  },
  "model-unknown": {
    message: ({ model, baseUrl, status, said }) =>
      `${baseUrl} 不认识 ${model}（状态码 ${status}）：${reasonGiven(said)}`,
    hint: ({ api }, { command }) =>
      `\`${command({ do: "models" })}\` 会列出可用的模型和各提供方的地址。${
        api === "responses" ? "不支持 Responses 的服务器请用 openai-chat/<name>。" : ""
      }`,
  },
  "model-unreachable": {
    message: ({ model, because, ...at }) =>
      `无法连接 ${model}：${unreachable(because)}。已尝试${route(at)} ${at.baseUrl}。`,
    hint: (_, { command }) =>
      `请检查地址（\`${command({ do: "models" })}\` 会显示）、网络，以及 HTTPS_PROXY 和 NO_PROXY。`,
  },
  "certificate-untrusted": {
    message: ({ model, code, ...at }) =>
      `无法连接 ${model}：其证书不受信任（${code}）。已尝试${route(at)} ${at.baseUrl}。`,
    hint: () => "如果代理或网关使用自己的证书签名，请在 NODE_EXTRA_CA_CERTS 中指明该证书。",
  },
  "proxy-refuses": {
    message: ({ model, status, ...at }) =>
      `无法连接 ${model}：代理拒绝连接${status === undefined ? "" : `（状态码 ${status}）`}。已尝试${route(at)} ${at.baseUrl}。`,
    hint: () => "请更改 HTTPS_PROXY 或 HTTP_PROXY，或把该地址加入 NO_PROXY。",
  },
  "proxy-wants-password": {
    message: (at) => `代理要求身份验证（状态码 407）；已尝试${route(at)} ${at.baseUrl}。`,
    hint: () => "请在代理变量中写入用户名和密码，或把该地址加入 NO_PROXY。",
  },
  "no-model-server": {
    message: ({ contentType, ...at }) =>
      `${at.baseUrl}（${route(at)}）不是模型服务器。它返回了 ${contentType}。`,
    hint: (_, { command }) =>
      `请检查地址：\`${command({ do: "models", json: true })}\` 有各提供方的地址。也可能是网络的登录页面。`,
  },
  "model-redirected": {
    message: ({ model, status, to, ...at }) =>
      `${at.baseUrl}（${route(at)}）重定向${to === undefined ? "，但没有可用的地址" : `到 ${to}`}（状态码 ${status}）。没有向那里发送任何内容：请求中有 ${model} 的密钥和对话。`,
    hint: ({ to, host }, { command }) =>
      `不会跟随重定向。${afterRedirect(to, host)}\`${command({ do: "models", json: true })}\` 会显示各提供方的 base URL。`,
  },
};

/** The provider's own words, if it sent any. */
function reasonGiven(said: string): string {
  return said === "" ? "它没有说明原因。" : said;
}

function keyAdvice({ from, variable }: KeyFrom, setup: string): string {
  if (from === "environment") return `请更改 ${variable}，或取消设置它并运行 \`${setup}\`。`;
  if (from === "file") return `请用新密钥运行 \`${setup}\`，或设置 ${variable}。`;
  return variable === undefined
    ? "请在设置 `providers` 中用 `keyVariable` 指明存放其密钥的变量。"
    : `请设置 ${variable}，或运行 \`${setup}\`。`;
}

function route({ proxy }: Pick<Reached, "proxy">): string {
  return proxy === undefined ? "直接连接" : `通过代理 ${proxy.address}（${proxy.variable}）连接`;
}

function afterRedirect(to: string | undefined, host: string | undefined): string {
  if (to === undefined) return "";
  return host === undefined
    ? "如果该路径正确，请把它写入提供方的 base URL。"
    : `如果你信任 ${host}，请把它设为提供方的 base URL。`;
}

function unreachable(because: Unreachable): string {
  if (because.why === "no-answer") return `它在 ${because.seconds} 秒内没有应答`;
  return `${UNREACHABLE[because.why]}（${because.errno}）`;
}

const UNREACHABLE = {
  refused: "那里没有程序在监听",
  "no-host": "没有这个主机",
  "no-way": "没有通往该主机的路由",
  "no-network": "没有网络",
  "no-address": "这不是地址",
  "unusable-address": "这不是可用的地址",
  "proxy-not-http": "其代理不是 HTTP 代理",
  "name-lookup": "现在无法解析该名称",
  ended: "连接已断开",
  reset: "连接被重置",
  silent: "连接没有响应",
};

export const choosingModels: Translated<typeof englishChoosingModels> = {
  "model-of-setting-unusable": {
    message: ({ setting, place, problem }, { message }) =>
      `设置 ${setting} 指定的模型（${placeText(place)}）不可用：${message(problem)}`,
    hint: ({ problem }, { hint }) => hint(problem),
  },
  "finder-writes-no-summaries": {
    message: ({ model }) => `${model} 用来找出是什么让测试失败，不写摘要。`,
    hint: ({ by }, { command }) =>
      `请为此指定另一个模型：${by === "option" ? "--model <provider/name>" : command({ do: "config set", key: "compaction.model", value: { any: "provider/name" } })}`,
  },
  "model-not-named": {
    message: () => "--model 没有指明模型。",
    hint: (_, { command }) =>
      `请以 provider/name 的形式给出模型，或去掉 --model。查看：${command({ do: "help", of: "compact" })}`,
  },
  "sdk-folder-relative": {
    message: ({ folder }) => `claude.sdk 是“${folder}”，它不是完整路径。`,
    hint: (_, { command }) =>
      `请从根目录或 ~ 起写明文件夹：${command({ do: "config set", key: "claude.sdk", value: "~/claude-sdk" })}`,
  },
  "model-not-of-the-sdk": {
    message: ({ model }) => `${model} 不是 Claude Agent SDK 的模型。`,
    hint: ({ model }, { command }) =>
      `Worldline 自己的智能体可以使用它：${command({ do: "start", host: "native", model })}`,
  },
  "key-to-paste-missing": { message: () => "没有给出密钥。", hint: () => "请在这里粘贴它。" },
  "key-missing": {
    message: () => "没有给出密钥。",
    hint: ({ provider }, { command }) =>
      `请在询问时输入，或通过管道传入：${command({ do: "setup", provider, key: "file" })}`,
  },
  "key-to-connect-refused": {
    message: ({ problem }, { message }) => message(problem),
    hint: ({ problem }, { hint }) => `${hint(problem)}没有保存任何内容。`,
  },
  "key-try-failed": {
    message: ({ problem }, { message }) => message(problem),
    hint: ({ problem }, { hint }) => `${hint(problem)}没有保存任何内容；仍要保存：--without-test`,
  },
  "model-to-connect-unknown": {
    message: ({ provider }) => `不知道该用 ${provider} 的哪个模型来试用密钥。`,
    hint: ({ provider }, { command }) =>
      `请在 shell 中指定一个：${command({ do: "setup", provider, model: { any: "name" } })}`,
  },
  "model-to-try-unknown": {
    message: ({ provider }) => `不知道该用 ${provider} 的哪个模型来试用密钥。`,
    hint: () => "请用 --model 指定一个，或不试用就保存密钥：--without-test",
  },
  "provider-takes-no-key": {
    message: ({ provider }) => `没有需要密钥的提供方“${provider}”。`,
    hint: (_, { command }) => `查看全部：${command({ do: "models" })}`,
  },
  "whose-key": {
    message: () => "这是哪个提供方的密钥？",
    hint: ({ providers }, { command }) =>
      `请指明提供方：${command({ do: "setup", provider: { any: "provider" } })}。提供方：${providers.join("、")}`,
  },
  "model-not-connected": {
    message: () => "没有连接任何模型。",
    hint: (_, { command }) =>
      `请用 ${command({ do: "setup" })} 连接提供方，或用 ${command({ do: "models" })} 选择模型。其他功能没有模型也能使用。`,
  },
  "provider-name-unknown": {
    message: () => "没有这个名称的提供方。",
    hint: ({ providers }) => `提供方：${providers.join("、")}。密钥本身会询问，或从管道读取；它不是参数。`,
  },
};

function placeText(place: SettingPlace): string {
  if (place.is === "file") return `${place.file}:${place.line}`;
  if (place.is === "variable") return `环境变量 ${place.variable}`;
  return place.is === "flag" ? "选项 --setting" : "默认值";
}
