/** Where sessions are stored, as users write it: `files`, `sqlite:path`, `postgres://...`. */
export type StoreAddress =
  | { readonly kind: "files" }
  | { readonly kind: "sqlite" /** Absolute. */; readonly path: string }
  | {
      readonly kind: "postgres";
      /** Including its password, if it has one: never to be shown. */
      readonly url: string;
      /** The same without the password. */
      readonly name: string;
      /** The value of `connect_timeout`, in milliseconds. */
      readonly patienceMs?: number;
    };

/** The address for display, without its password. */
export function shownAddress(address: StoreAddress): string {
  switch (address.kind) {
    case "files":
      return "files";
    case "sqlite":
      return `sqlite:${address.path}`;
    case "postgres":
      return address.name;
    default:
      return address satisfies never;
  }
}

/** The whole address, including its password, for use within this program. */
export function wholeAddress(address: StoreAddress): string {
  return address.kind === "postgres" ? address.url : shownAddress(address);
}

/** The address in full except for its password, to be written again. */
export function repeatableAddress(address: StoreAddress): {
  readonly text: string;
  readonly password: "left-out" | "none";
} {
  if (address.kind !== "postgres") return { text: shownAddress(address), password: "none" };
  const text = address.url
    .replace(/(:\/\/[^:@/]*):[^@/]*@/u, "$1@")
    .replace(/([?&])(?:ssl)?password=[^&]*(&|$)/giu, (_all, before, behind) =>
      behind === "&" ? before : "",
    );
  return { text, password: text === address.url ? "none" : "left-out" };
}

/** Replaces everything in the text that looks like a password in a server's address with `***`. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/(postgres(?:ql)?:\/\/[^\s:/@"']*):[^/\n]*@/giu, "$1:***@")
    .replace(/(\w:\/\/[^\s:/@"']*):[^\s/"']*@/gu, "$1:***@")
    .replace(/([?&](?:ssl)?password=)[^\s&"']*/giu, "$1***");
}
