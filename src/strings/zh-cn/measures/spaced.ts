/** With the space that Chinese puts behind a foreign word or a number, and not behind its own characters and brackets. */
export function spaced(text: string): string {
  return /[\u3000-\u9fff\uff00-\uffef]$/u.test(text) ? text : `${text} `;
}
