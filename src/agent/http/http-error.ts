/** Why a request has no usable answer. Callers decide on the code. */
export type HttpErrorCode =
  | "HTTP_BODY_TOO_LARGE"
  | "HTTP_CONNECT_TIMEOUT"
  | "HTTP_ENCODING"
  | "HTTP_FIRST_BYTE_TIMEOUT"
  | "HTTP_INVALID_REQUEST"
  | "HTTP_INVALID_STATUS"
  | "HTTP_NO_ANSWER"
  | "HTTP_PROXY_INVALID"
  | "HTTP_PROXY_REFUSED"
  | "HTTP_SILENT";

export class HttpError extends Error {
  readonly code: HttpErrorCode;
  /** What the proxy that refused answered with. */
  readonly proxyStatus?: number;

  constructor(code: HttpErrorCode, message: string) {
    super(message);
    this.name = "HttpError";
    this.code = code;
  }
}
