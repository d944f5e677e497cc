import type { storeAddresses as english, PostgresAddressFault } from "../en/store-addresses.ts";
import type { Translated } from "../texts.ts";

const nameTheFile = () =>
  "请指定文件：sqlite:sessions.db、sqlite:~/sessions.db 或 sqlite:/path/to/sessions.db";

export const storeAddresses: Translated<typeof english> = {
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
