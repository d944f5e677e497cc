/** Formats a time as `10:30:45`, in the user's time zone. */
export function clockTime(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
}

/** Formats a date as `2026-11-15`, in the user's time zone. */
export function dateOf(at: number): string {
  const date = new Date(at);
  return [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join("-");
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
