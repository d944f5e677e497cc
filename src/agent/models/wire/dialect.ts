/** What a provider's wire wants otherwise than the others. */
export interface Dialect {
  /** Where the prefix cache is marked by hand. */
  readonly cacheMarks: "anthropic" | "none";
  /**
   * What of the model's own thinking goes back to it. "signed": as Anthropic signed it. "encrypted": as OpenAI encrypted it.
   * "text": as plain text, for servers that answer 400 when a call comes back without the thinking before it.
   */
  readonly thinking: "signed" | "encrypted" | "text" | "none";
  /** "after": results hold only text, so images follow them as a user's message. */
  readonly resultImages: "inside" | "after";
  /** "one": a user's texts are joined, for servers that want a string and not a list. */
  readonly texts: "blocks" | "one";
  /** "plain": letters, digits, "_" and "-" only, 40 of them. "any": as the model wrote them, which some models rely on. */
  readonly callIds: "plain" | "any";
  /** "said": the wire makes every argument required unless it is told not to. */
  readonly looseTools: "said" | "unsaid";
}

export const ANTHROPIC: Dialect = {
  cacheMarks: "anthropic",
  thinking: "signed",
  resultImages: "inside",
  texts: "blocks",
  callIds: "plain",
  looseTools: "unsaid",
};

export const RESPONSES: Dialect = {
  ...ANTHROPIC,
  cacheMarks: "none",
  thinking: "encrypted",
  looseTools: "said",
};

export const CHAT: Dialect = {
  cacheMarks: "none",
  thinking: "none",
  resultImages: "after",
  texts: "one",
  callIds: "plain",
  looseTools: "unsaid",
};

export const COMPATIBLE: Dialect = { ...CHAT, callIds: "any" };

/** Moonshot and DeepSeek refuse a call that comes back without the thinking that led to it. */
export const COMPATIBLE_THINKING: Dialect = { ...COMPATIBLE, thinking: "text" };
