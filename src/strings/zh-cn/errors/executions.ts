import type { CommandText } from "../../commands.ts";
import type {
  executions as englishExecutions,
  namingExecutions as englishNamingExecutions,
  StepNamed,
  UnstoredPart,
  ValueFault,
  WhileRunning,
} from "../../en/errors/executions.ts";
import type { Translated } from "../../errors/texts.ts";

export const executions: Translated<typeof englishExecutions> = {
  "checkpoint-not-found": {
    message: ({ checkpoint }) => `未找到检查点 ${checkpoint}`,
    hint: ({ known, more }) =>
      known.length === 0
        ? "此执行还没有步骤：请用 step 或 save 开始一个。"
        : `现有：${more === "yes" ? "…, " : ""}${known.join(", ")}`,
  },
  "no-success-before": {
    message: ({ index }) => `步骤 ${index} 之前没有成功的检查点`,
    hint: ({ last }) =>
      last === undefined
        ? "还没有任何步骤成功：请从第一个步骤开始运行。"
        : `最后一次成功是 ${last}：请选择它之后的步骤，或从第一个步骤开始运行。`,
  },
  "step-still-open": {
    message: ({ checkpoint }) => `检查点 ${checkpoint} 属于一个尚未结束的步骤。`,
    hint: () => "请改为前往最后一次成功：lastSuccessful() 有它的 id。",
  },
  "step-running": {
    message: ({ index, why }) => `步骤 ${index} 正在运行：${WHILE_RUNNING[why]}`,
    hint: () => "请先等待它的 promise。",
  },
  "step-changed": {
    message: ({ index, name, called }) => `步骤 ${index} 现在名为“${called}”，但那里记录的是“${name}”。`,
    hint: ({ index, called }) =>
      `程序已经改过。请用 rollbackTo 回到它之前，或开始另一个执行，或指明“${called}”在 ${index} 以外的位置：step(name, work, { index })。`,
  },
  "step-unfinished": {
    message: ({ time, attempt, ...step }) =>
      `步骤 ${named(step)} 于 ${time} 开始（第 ${attempt} 次尝试）而没有完成：它的工作可能已经做完，也可能只做了一半。`,
    hint: ({ index }) => `请检查它是否做完，然后决定：${decisions(index)}`,
  },
  "step-result-lost": {
    message: ({ unstored, ...step }) =>
      `步骤 ${named(step)} 已运行，但无法存储其结果：${unstoredText(unstored)}。`,
    hint: ({ index }) =>
      `它不会自动再次运行。请让它返回数据，例如 await response.json()，然后决定：${decisions(index)}`,
  },
  "step-result-copied": {
    message: ({ unstored, ...step }) =>
      `步骤 ${named(step)} 返回的内容无法原样存储（${unstoredText(unstored)}）。已存储并返回一个普通副本。请让步骤返回数据，以决定存储什么。`,
  },
  "step-failure-replayed": {
    message: ({ index, name }) =>
      `步骤 ${index} “${name}” 在较早的运行中失败，而程序之后继续了：其错误会再次抛出，该步骤不会运行。要再次运行：step(name, work, { onFailed: "retry" })。要保持现状："rethrow"。`,
  },
  "step-not-begun": { message: () => "该步骤没有运行：无法写入它的开始。" },
  "step-deleted": {
    message: (step) => `步骤 ${named(step)} 的检查点及其结果已被删除。`,
    hint: ({ index }) => `该步骤不会自动再次运行。请决定：${decisions(index)}`,
  },
  "step-not-given-back": {
    message: (step) => `步骤 ${named(step)} 已运行，但由于存储失败，其结果没有返回。`,
    hint: ({ index }) => `结果现已存储。请先取得它：step(name, work, { index: ${index} })`,
  },
  "step-failed-before": {
    message: (step) => `步骤 ${named(step)} 在之前的运行中失败，且没有记录错误。`,
    hint: ({ index }) => nextAttempt(index),
  },
  "step-given-up": {
    message: ({ attempt, ...step }) => `步骤 ${named(step)} 在第 ${attempt} 次尝试中没有完成，视为失败。`,
    hint: ({ index }) => nextAttempt(index),
  },
  "step-not-written": {
    message: ({ outcome, problem, ...step }, { message }) =>
      `步骤 ${named(step)} ${ended(outcome)}，但无法写入其结果：${message(problem)}`,
    hint: ({ index, problem, result }, { hint }) =>
      hint(problem) +
      (result === "lost"
        ? "该步骤在下次运行中为未完成，由下次运行决定。"
        : `结果保留在内存中，存储恢复后立即写入：此后 step(name, work, { index: ${index} }) 会采用它，不再运行已成功的步骤。如果程序在此之前结束，该步骤在下次运行中为未完成。`),
  },
  "step-closed-under": {
    message: ({ outcome, ...step }) =>
      `步骤 ${named(step)} ${ended(outcome)}，但无法写入其结果：执行在该步骤运行期间被关闭。`,
    hint: () =>
      "请在所有步骤结束后再调用 close()，不要在步骤中调用。该步骤在下次运行中为未完成，由下次运行决定。",
  },
  "retries-spent": {
    message: ({ tried, ...step }) => `步骤 ${named(step)} 尝试了 ${tried} 次，没有成功。`,
    hint: () => "请查看失败的原因，并允许更多次数：retryFrom(index, { maxRetries })",
  },
  "checkpoint-not-restored": {
    message: ({ checkpoint, problem }, { message }) => `检查点 ${checkpoint} 没有恢复：${message(problem)}`,
    hint: () => "执行仍在原来的位置。",
  },
  "step-index-invalid": {
    message: ({ given }) => `步骤的位置不能是 ${given}`,
    hint: () => "位置是从 0 开始的整数。",
  },
  "step-within-step": {
    message: ({ around, called }) => `步骤“${called}”是在步骤 ${named(around)} 之中开始的：步骤不能嵌套。`,
    hint: ({ around }) =>
      `请在“${around.name}”之前或之后调用它，或把它并入后者的工作。同时进行多个：在步骤之外使用 Promise.all。`,
  },
  "step-unnamed": {
    message: ({ index }) => `步骤 ${index} 从未开始，因此还没有名称。`,
    hint: () => "请指明程序对它的称呼：retryFrom(index, { name, run })",
  },
  "step-undecided": {
    message: ({ index }) => `没有说明如何处理步骤 ${index}。`,
    hint: () => '请选择 "retry"、"skip"、{ skip: output } 或 "fail"。',
  },
  "step-name-missing": {
    message: () => "步骤需要名称。",
    hint: () => '请以它所做的事命名：step("fetch", work)',
  },
  "retries-invalid": {
    message: ({ given }) => `步骤不能再尝试 ${given} 次。`,
    hint: () => "maxRetries 是从 0 开始的整数。",
  },
  "execution-closed": {
    message: ({ execution, how }) => `执行 ${execution} 已${how === "closed" ? "关闭" : "删除"}。`,
    hint: () => "请重新打开：openExecution(id)",
  },
  "execution-held": {
    message: ({ execution, problem }, { message }) =>
      `执行 ${execution} 正由另一个程序运行：${message(problem)}`,
    hint: ({ holder }) =>
      `请等待它：openExecution(id, { waitMs })，或先运行另一个执行。${
        holder === "elsewhere" ? '如果它所在的机器不会再回来：openExecution(id, { takeOver: "yes" })' : ""
      }`,
  },
  "execution-id-missing": {
    message: ({ given }) => `执行需要 id，而这个${given === "empty" ? "是空的" : "不是文本"}。`,
    hint: () => '请给它一个程序以后能再找到它的名称：openExecution("import-2026")',
  },
  "execution-session-taken": {
    message: ({ session }) => `会话 ${session} 不属于此执行，尽管它们的 id 相符。`,
    hint: () => "请给执行另一个 id，或另一个作用域：openExecution(id, { scope })",
  },
  "delete-with-arguments": {
    message: () => "delete() 把整个执行移到回收站，不接受参数。",
    hint: () => "没有删除任何内容。删除单个检查点：deleteCheckpoint(id)",
  },
  "turn-execution": {
    message: ({ execution }) => `${execution} 是智能体的一个轮次：其步骤由智能体自己管理。`,
    hint: () => "请用你自己的 id 打开执行。轮次的步骤可以查看，也可以回退到那里。",
  },
  "turn-not-deleted-alone": {
    message: ({ execution }) => `${execution} 是其会话的一部分，不能单独删除。`,
    hint: ({ session }, { command }) => `删除该会话：${command({ do: "sessions delete", session })}`,
  },
  "value-threw": {
    message: ({ path, doing, why }) =>
      `${path} 无法保存：${{ looking: "查看它时", getter: "其 getter ", reading: "读取它时" }[doing]}抛出了异常（${why}）。`,
    hint: () => "请传入随时可以读取的数据，例如所需内容的副本。",
  },
  "value-not-kept": {
    message: ({ path, fault }) => `${path} ${valueFault(fault)}，无法保存。`,
    hint: () => "请传入数据：普通对象、列表、日期、Map、Set、字节、错误、文本和数字。",
  },
  "value-unreadable": {
    message: () => "此执行的一个值无法读取。",
    hint: (_, { command }) => `查看问题所在：${command({ do: "doctor" })}`,
  },
  "stored-error": { message: ({ message }) => message },
};

const WHILE_RUNNING: Readonly<Record<WhileRunning, string>> = {
  "called-again": "它在结束之前被再次调用。",
  deleted: "此时不能删除它的检查点。",
  saved: "它返回的内容在结束时写入。",
  "gone-back": "此时执行不能回退。",
  "another-deleted": "此时不能删除检查点。",
  "execution-deleted": "此时不能删除该执行。",
  finished: "此时不能结束该执行。",
};

function named({ index, name }: StepNamed): string {
  return `${index}“${name}”`;
}

function ended(outcome: "ran" | "failed"): string {
  return outcome === "ran" ? "已运行" : "失败";
}

function decisions(index: number): string {
  return (
    `step(name, work, { index: ${index}, unfinished: "retry" }) 再次运行它，` +
    `{ index: ${index}, unfinished: { skip: output } } 跳过它继续，` +
    `{ index: ${index}, unfinished: "fail" } 视为失败。`
  );
}

function nextAttempt(index: number): string {
  return `运行下一次尝试：step(name, work, { index: ${index}, onFailed: "retry" })`;
}

function valueFault(fault: ValueFault): string {
  switch (fault.is) {
    case "symbol":
      return "是 symbol";
    case "function":
      return "是函数";
    case "promise":
      return "是 promise";
    case "nested":
      return "嵌套过深";
    case "not-plain":
      return "不是普通对象";
    case "too-large":
      return "过大";
    case "odd":
      return "含有异常内容";
    case "instance":
      return `是 ${fault.of} 的实例`;
    case "list-with-field":
      return `是带有自有字段 ${fault.field} 的列表`;
    case "with-field":
      return `带有自有字段 ${fault.field}`;
    case "with-symbol":
      return `带有以 symbol 命名的字段 ${fault.field}`;
    default:
      return fault satisfies never;
  }
}

const MAX_NAMED_PARTS = 3;

function unstoredText(unstored: readonly UnstoredPart[]): string {
  const parts = unstored
    .slice(0, MAX_NAMED_PARTS)
    .map(({ path, why, of }) => `${path} ${whyUnstored(why, of)}`);
  const more = unstored.length - parts.length;
  return [...parts, ...(more > 0 ? [`另有 ${more} 处`] : [])].join("，");
}

function whyUnstored(why: string, of: string | undefined): string {
  switch (why) {
    case "class":
      return of === undefined ? "不是普通对象" : `是 ${of} 的实例`;
    case "live":
      return `是活动对象${of === undefined ? "" : `（${of}）`}`;
    case "fields":
      return "是内置对象的额外字段";
    case "unreadable":
      return "读取时抛出了异常";
    case "nested":
      return "嵌套过深";
    case "size":
      return "过大";
    default:
      return `是 ${why}`;
  }
}

const MOST_NAMED = 8;

const didYouMean = (near: string | undefined, command: CommandText) =>
  near === undefined ? `查看全部：${command({ do: "executions", all: true })}` : `是否想写 ${near}？`;
const some = (names: readonly (string | number)[]) =>
  `${names.slice(0, MOST_NAMED).join("、")}${names.length > MOST_NAMED ? "……" : ""}`;

export const namingExecutions: Translated<typeof englishNamingExecutions> = {
  "none-to-list": {
    message: () => "--limit 0 不会列出任何内容。",
    hint: ({ usual }) => `请给出从 1 开始的整数；不加 --limit 时为 ${usual}。`,
  },
  "execution-named-unknown": {
    message: ({ given }) => `没有执行“${given}”。`,
    hint: ({ near }, { command }) => didYouMean(near, command),
  },
  "execution-named-ambiguous": {
    message: ({ given, names }) => `“${given}”可能是 ${names.length} 个执行中的任意一个。`,
    hint: ({ names, places }, { command }) => {
      const named = names.map(({ name, workspace }) =>
        workspace === undefined ? name : `${name}（位于 ${workspace}）`,
      );
      const where =
        places === "several"
          ? `。或指明位置：--workspace <folder>；${command({ do: "executions", all: true })} 列出全部`
          : "";
      return `请指明其中一个：${some(named)}${where}`;
    },
  },
  "checkpoint-named-unknown": {
    message: ({ given }) => `找不到检查点 ${given}`,
    hint: ({ execution, near }, { command }) => {
      const why = execution === undefined ? "" : `没有执行“${execution}”。`;
      return `${why}${didYouMean(near, command)}`;
    },
  },
  "steps-of-same-name": {
    message: ({ execution, name, places }) => `${execution} 有 ${places.length} 个步骤名为“${name}”。`,
    hint: ({ places }) => `没有做任何更改。请用位置指明是哪一个，--step <index>：${some(places)}`,
  },
  "step-named-unknown": {
    message: ({ execution, step }) => `${execution} 没有步骤“${step}”。`,
    hint: ({ known }) =>
      known.length === 0 ? "它还没有步骤。" : `它的步骤：${known.slice(0, MOST_NAMED).join("、")}`,
  },
  "step-not-ended": {
    message: ({ execution, step }) => `${execution} 的步骤 ${step} 还没有结束。`,
    hint: ({ execution }, { command }) =>
      `没有做任何更改。请选一个已结束的：${command({ do: "executions show", execution })}`,
  },
  "no-successful-checkpoint": {
    message: ({ execution }) => `${execution} 中没有成功的检查点`,
    hint: ({ execution }, { command }) =>
      `没有做任何更改。查看它的步骤：${command({ do: "executions show", execution })}`,
  },
  "two-steps-named": {
    message: () => "检查点已经指明了步骤，而 --step 又指明了另一个。",
    hint: () => "请去掉 --step，或给出执行而不是检查点。",
  },
  "execution-part-of-session": {
    message: ({ execution }) => `${execution} 是会话的一部分，不能单独删除。`,
    hint: ({ session }, { command }) => `请删除该会话：${command({ do: "sessions delete", session })}`,
  },
};
