import { createHash } from "node:crypto";
import type { TokenCounts, Wire } from "./script.ts";
import type { CacheBlock } from "./wires/wire.ts";

/** The parts of a request that are read from the cache, and the parts that are cached once the request is answered. */
export interface CachePlan {
  readonly counts: Omit<TokenCounts, "output">;
  /**
   * Caches the request. Must not be called for a refused request, because a provider caches only what it has processed.
   */
  keep(): void;
}

export interface CacheRequest {
  readonly wire: Wire;
  readonly model: string;
  readonly blocks: readonly CacheBlock[];
}

/** How many blocks before a mark Anthropic searches for a cached prefix. */
const LOOK_BACK = 20;

const MAX_PREFIXES = 50_000;
const MAX_REQUESTS = 200;

/** The prefixes that a provider would have cached. Prefixes are compared byte by byte. */
export class PrefixCache {
  readonly #tokensOf: (text: string) => number;
  readonly #marked = new Set<string>();
  readonly #whole = new Map<string, readonly (readonly string[])[]>();

  constructor(tokensOf: (text: string) => number) {
    this.#tokensOf = tokensOf;
  }

  plan(request: CacheRequest): CachePlan {
    return request.wire === "anthropic" ? this.#planMarked(request) : this.#planWhole(request);
  }

  /**
   * Plans caching as Anthropic does. Anthropic caches a prefix that ends at a mark, and searches back from each mark
   * for a cached prefix.
   */
  #planMarked({ model, blocks }: CacheRequest): CachePlan {
    const hash = createHash("sha256").update(model);
    const names = blocks.map(({ text }) => hash.update("\0").update(text).copy().digest("base64"));
    const marks = blocks.flatMap(({ mark }, index) => (mark === "marked" ? [index] : []));
    const readTo = Math.max(-1, ...marks.map((mark) => this.#knownBefore(names, mark)));
    const writtenTo = Math.max(readTo, ...marks);
    const tokens = (from: number, to: number): number =>
      blocks.slice(from, to).reduce((sum, { text }) => sum + this.#tokensOf(text), 0);
    return {
      counts: {
        read: tokens(0, readTo + 1),
        written: tokens(readTo + 1, writtenTo + 1),
        uncached: tokens(writtenTo + 1, blocks.length),
      },
      keep: () => {
        for (const mark of marks) this.#marked.add(names[mark] ?? "");
        for (const oldest of this.#marked) {
          if (this.#marked.size <= MAX_PREFIXES) break;
          this.#marked.delete(oldest);
        }
      },
    };
  }

  #knownBefore(names: readonly string[], mark: number): number {
    for (let at = mark; at >= Math.max(0, mark - LOOK_BACK); at -= 1) {
      if (this.#marked.has(names[at] ?? "")) return at;
    }
    return -1;
  }

  /**
   * Plans caching as other providers do. Other providers cache everything, and use the longest prefix that a request
   * shares with an earlier request.
   */
  #planWhole({ wire, model, blocks }: CacheRequest): CachePlan {
    const texts = blocks.map(({ text }) => text);
    const place = `${wire} ${model}`;
    const earlier = this.#whole.get(place) ?? [];
    const total = texts.reduce((sum, text) => sum + this.#tokensOf(text), 0);
    const read = Math.max(0, ...earlier.map((each) => this.#shared(each, texts)));
    return {
      counts: { read, written: 0, uncached: total - read },
      keep: () => {
        const others = (this.#whole.get(place) ?? []).filter((each) => !isBeginning(each, texts));
        this.#whole.set(place, [...others, texts].slice(-MAX_REQUESTS));
      },
    };
  }

  #shared(earlier: readonly string[], texts: readonly string[]): number {
    let tokens = 0;
    for (const [index, text] of texts.entries()) {
      const other = earlier[index] ?? "";
      tokens += this.#tokensOf(text.slice(0, sharedLength(other, text)));
      if (other !== text) break;
    }
    return tokens;
  }
}

function isBeginning(shorter: readonly string[], longer: readonly string[]): boolean {
  return shorter.length <= longer.length && shorter.every((text, index) => text === longer[index]);
}

function sharedLength(left: string, right: string): number {
  if (left === right) return left.length;
  let length = 0;
  while (length < left.length && left[length] === right[length]) length += 1;
  return length;
}
