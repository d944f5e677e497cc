import type {
  databases as englishDatabases,
  storeAddresses as englishStoreAddresses,
  Login,
  PostgresAddressFault,
  Replaced,
} from "../../en/errors/databases.ts";
import type { Translated } from "../../errors/texts.ts";

export const databases: Translated<typeof englishDatabases> = {
  "database-full": {
    message: ({ path, code }) => `无法写入 ${path}：空间不足（${code}）。`,
    hint: () => "已写入的内容没有丢失。请腾出磁盘空间后重试。",
  },
  "database-unwritable": {
    message: ({ path, code, said }) => `无法写入 ${path}（${code}：${said}）。`,
    hint: ({ path }) => `已写入的内容没有丢失。请检查 ${path} 及其所在文件夹的所有者和权限。`,
  },
  "database-closed-to-us": {
    message: ({ path, code, said }) => `无法读取 ${path}（${code}：${said}）。`,
    hint: ({ path }) =>
      `请检查你是否有权读取 ${path}。如果有程序正在写入它，SQLite 还需要 ${path}-wal 和 ${path}-shm 以及它们的写入权限；也可以指定这三个文件的副本。`,
  },
  "database-unreadable": {
    message: ({ path, code, said }) => `无法读取 ${path}（${code}：${said}）。`,
    hint: ({ path }) => `请检查 ${path} 的所有者和权限；\`sqlite3 ${path} .schema\` 会显示其中的内容。`,
  },
  "database-busy": {
    message: ({ path, seconds }) => `${path} 已被其他程序占用 ${seconds} 秒。`,
    hint: ({ path }) =>
      `没有任何更改。另一个 Worldline、备份程序或仍有事务未结束的 sqlite3 正占用它（\`lsof ${path}\` 会指出是哪一个）；请在它结束后重试。`,
  },
  "database-replaced-while-writing": { message: replaced, hint: replacedHint },
  "database-replaced-while-reading": { message: replaced, hint: replacedHint },
  "database-gone-while-writing": { message: gone, hint: goneHint },
  "database-gone-while-reading": { message: gone, hint: goneHint },
  "database-damaged": {
    message: ({ path, code }) => `数据库 ${path} 已损坏（${code}）。`,
    hint: ({ path }) => `请从备份恢复，或保存仍可读取的内容：sqlite3 ${path} .recover | sqlite3 saved.db`,
  },
  "database-older": {
    message: ({ session, entries, extent, until, path }) =>
      `会话 ${session} 缺少${extent === "all" ? "全部" : "最后"} ${entries} 个已确认的条目（写到 ${until} 为止）：数据库 ${path} 比这更旧。`,
    hint: (_, { command }) =>
      `它的 -wal 文件被删除，或被换成了旧副本。没有任何更改。请在没有程序使用时放回较新的文件；或者接受丢失：${command({ do: "doctor", fix: true })}`,
  },
  "database-of-another-program": {
    message: ({ path }) => `${path} 是其他程序的数据库。`,
    hint: () => "没有任何更改。请指定单独的文件：--store sqlite:<path>；文件不存在时会新建。",
  },
  "not-sqlite": {
    message: ({ path }) => `${path} 不是 SQLite 数据库。`,
    hint: () => "没有任何更改。请用 --store sqlite:<path> 指定其他文件，或从备份恢复。",
  },
  "not-a-database-file": {
    message: ({ path, kind }) => (kind === "folder" ? `${path} 是文件夹。` : `${path} 不是文件。`),
    hint: () => "SQLite 存储是一个文件：请指定一个，例如 sqlite:sessions.db",
  },
  "libsql-missing": {
    message: () => "无法加载 SQLite：缺少 libsql 包。",
    hint: () => "请为本机安装：npm install libsql。或者把会话保存在文件中：--store files",
  },
  "schema-newer": {
    message: ({ name, version, newest }) => `${name} 的结构版本是 ${version}；此程序只认识到版本 ${newest}。`,
    hint: () => "它由更新的 Worldline 建立，没有任何更改。请按其 README 的安装方法更新此程序。",
  },
  "schema-of-another-program": {
    message: ({ name }) => `${name} 中有名称以 worldline_ 开头的表，但它们不属于 Worldline。`,
    hint: () => "没有任何更改。请用 --store 或 WORLDLINE_STORE 指定其他数据库。",
  },
  "connection-unstable": {
    message: ({ name }) => `每次写入时与 ${name} 的连接都会断开。`,
    hint: () => "已写入的内容没有丢失。请在连接稳定后重试。",
  },
  "pg-missing": {
    message: () => "Postgres 存储需要 pg 包，但它没有安装。",
    hint: () =>
      "请安装在 Worldline 旁边：在使用 Worldline 的项目中执行 npm install pg；如果 Worldline 是用 -g 安装的，则执行 npm install -g pg。",
  },
  "pg-broken": {
    message: ({ why }) => `pg 包已安装，但无法加载：${why}`,
    hint: () => "请重新安装：npm install pg；如果 Worldline 是用 -g 安装的，则执行 npm install -g pg。",
  },
  "postgres-closed": {
    message: ({ name }) => `${name} 的存储已关闭。`,
    hint: () => "请重新打开它。",
  },
  "postgres-lost": {
    message: ({ name, why }) => `连不上 ${name} 的 Postgres 服务器：${why}`,
    hint: () => "服务器是否在运行，是否接受来自这里的连接？没有任何丢失：恢复连接后会话会继续。",
  },
  "postgres-clash": {
    message: ({ name, why }) => `一直有其他程序写入 ${name}：${why}`,
    hint: () => "没有任何更改。请稍后重试。",
  },
  "postgres-made-already": {
    message: ({ name, why }) => `${name} 不接受要写入的内容：${why}`,
    hint: () => "没有任何更改。如果其他程序在那里有同名的表，请使用其他数据库。",
  },
  "postgres-busy": {
    message: ({ name, why }) => `等待 ${name} 的时间过长：${why}`,
    hint: () => "没有任何更改。请重试；如果一直如此，请在 pg_stat_activity 中查找没有结束的事务。",
  },
  "postgres-full": {
    message: ({ name, why }) => `${name} 的服务器空间不足：${why}`,
    hint: () => "请腾出服务器的磁盘空间后重试。已写入的内容没有丢失。",
  },
  "postgres-refused": {
    message: ({ name, why }) => `${name} 的 Postgres 服务器拒绝登录：${why}`,
    hint: refusalHint,
  },
  "postgres-without-rights": {
    message: ({ name, why }) => `无法写入 ${name}：${why}`,
    hint: ({ user }) =>
      `请让其所有者授予 ${user} 在那里建表和用表的权限：GRANT CREATE, USAGE ON SCHEMA public TO ${user};`,
  },
  "postgres-read-only": {
    message: ({ name, why }) => `无法写入 ${name}：${why}`,
    hint: () => "该服务器是备用服务器，或设为了只读；请给出可写服务器的地址。",
  },
  "postgres-failed-while-writing": { message: failed, hint: failedHint },
  "postgres-failed-while-reading": { message: failed, hint: failedHint },
};

function replaced({ path }: Replaced): string {
  return `数据库 ${path} 的 -wal 或 -shm 文件在使用期间被移除。`;
}

function replacedHint({ path, copy }: Replaced): string {
  const saved = copy === undefined ? "" : `此前在这里写入的全部内容都在 ${copy} 中：请保留它。`;
  return `这次没有写入任何内容。${saved}请结束所有使用 ${path} 的程序，然后重新启动它们。`;
}

function gone({ path }: { readonly path: string }): string {
  return `数据库 ${path} 已不存在。`;
}

function goneHint(): string {
  return "请把该文件放回原处，如有 -wal 文件也一并放回；它不会自动重建。";
}

function refusalHint({ refusal, user, database }: Login): string {
  switch (refusal) {
    case "no-database":
      return `请建立数据库：createdb ${database}。或在主机之后指定其他数据库。`;
    case "no-tls":
      return "该服务器没有 TLS：请在地址之后加上 ?sslmode=disable，或在服务器上启用 TLS。";
    case "certificate":
      return "请用 ?sslrootcert=file 给出签发证书的机构；如果中间不可能有人截取，也可用 ?sslmode=no-verify。";
    case "login":
      return `请检查用户 ${user} 和密码：密码在地址、PGPASSWORD 或 ~/.pgpass 中。服务器的 pg_hba.conf 规定了谁可以从哪里登录。`;
    default:
      return refusal satisfies never;
  }
}

function failed({ name, why }: { readonly name: string; readonly why: string }): string {
  return `${name} 无法完成请求：${why}`;
}

function failedHint(): string {
  return "服务器自己的日志有更多说明。没有任何更改。";
}

const nameTheFile = () =>
  "请指定文件：sqlite:sessions.db、sqlite:~/sessions.db 或 sqlite:/path/to/sessions.db";

export const storeAddresses: Translated<typeof englishStoreAddresses> = {
  "store-unknown": {
    message: ({ written }) => `没有存储“${written}”。`,
    hint: () => "请写 files、sqlite:path/to/file.db 或 postgres://user@host:5432/database",
  },
  "sqlite-path-missing": { message: () => "sqlite: 之后需要一个文件的路径。", hint: nameTheFile },
  "sqlite-path-on-a-host": {
    message: ({ written }) => `“${written}”带有主机，而 SQLite 保存在文件中。`,
    hint: nameTheFile,
  },
  "sqlite-in-memory": { message: () => "内存中的数据库在命令结束时就没有了。", hint: nameTheFile },
  "sqlite-path-of-a-folder": {
    message: ({ written }) => `“${written}”是文件夹，不是文件。`,
    hint: nameTheFile,
  },
  "sqlite-path-with-zero-byte": { message: () => "文件的路径不能含有零字节。", hint: nameTheFile },
  "sqlite-path-in-a-named-home": {
    message: ({ written }) => `“${written}”位于按名称指定的某个用户的主文件夹中，不支持这种写法。`,
    hint: () => "请写完整路径，或用 ~/ 表示你自己的主文件夹；如果文件夹就叫这个名称，请写 ./~name/",
  },
  "sqlite-path-with-options": {
    message: ({ written }) => `“${written}”的路径之后带有选项，不支持这种写法。`,
    hint: () => "请去掉这些选项。",
  },
  "sqlite-path-not-of-a-file": {
    message: ({ written }) => `“${written}”不是本机文件的地址。`,
    hint: () => "请写 sqlite:/path/to/sessions.db",
  },
  "postgres-address-with-two-ats": {
    message: () => "Postgres 存储的地址在主机之前有两个 @。",
    hint: () => "密码中的 @ 应写作 %40；密码也可以放在 PGPASSWORD 或 ~/.pgpass 中。",
  },
  "postgres-address-unreadable": {
    message: ({ why }) => `无法读取 Postgres 存储的地址：${FAULTS[why]}。`,
    hint: () =>
      "地址形如 postgres://user@host:5432/database。名称和密码中的 @ : / ? # % 等字符要写成百分号编码（%40 即 @）；密码也可以放在 PGPASSWORD 或 ~/.pgpass 中。",
  },
};

const FAULTS: Readonly<Record<PostgresAddressFault, string>> = {
  "other-scheme": "它不以 postgres:// 开头",
  "bad-port": "端口不是数字",
  "more-than-a-database": "主机之后除了数据库名称还有别的内容",
  "sign-behind-host": "主机之后有 @ 或 #",
  "bad-percent": "有一个 % 之后不是两位十六进制数字",
  "not-a-url": "它不是 URL",
  "not-utf8": "其中百分号编码的内容不是 UTF-8",
};
