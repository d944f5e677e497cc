/** How long ago something was. */
export const time = {
  now: "just now",
  seconds: (count: number) => `${count} s ago`,
  minutes: (count: number) => `${count} min ago`,
  hours: (count: number) => `${count} h ago`,
  days: (count: number) => (count === 1 ? "yesterday" : `${count} days ago`),
};
