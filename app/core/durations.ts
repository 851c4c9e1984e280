/** Milliseconds. */
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A time in milliseconds since the epoch as ISO 8601, in UTC. */
export const isoTime = (time: number): string => new Date(time).toISOString();
