/** The views of bytes that come back as what they were. */
const viewTypes = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  DataView,
} as const;

type ViewType = new (buffer: ArrayBuffer) => ArrayBufferView;

/** Undefined for one that this version does not know: a guess would come back as something else. */
export function viewTypeNamed(name: string): ViewType | undefined {
  return Object.hasOwn(viewTypes, name) ? viewTypes[name as keyof typeof viewTypes] : undefined;
}

/** What a view is called in the log. */
export function viewName(view: ArrayBufferView): string {
  return Buffer.isBuffer(view) ? "Buffer" : Object.prototype.toString.call(view).slice("[object ".length, -1);
}
