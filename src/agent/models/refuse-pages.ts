/** What a model's server never sends: pages for people, pictures, downloads. Some send their streams as plain text. */
const NO_REPLY =
  /^(text\/(html|xml|css)|application\/(xhtml\+xml|xml|pdf|zip)|image\/|audio\/|video\/|font\/)/iu;

/** The address leads to something that is no model's server, such as a login page or a web site. */
class NoModelServer extends Error {
  readonly code = "NO_MODEL_SERVER";

  constructor(contentType: string) {
    super(`It answered with ${contentType}.`);
  }
}

/** A page that comes with a status of success would else be taken for a stream that was cut, and asked for again. */
export function refusingPages(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const [contentType = ""] = (response.headers.get("content-type") ?? "").split(";");
    if (!response.ok || !NO_REPLY.test(contentType)) return response;
    await response.body?.cancel();
    throw new NoModelServer(contentType.trim());
  };
}
