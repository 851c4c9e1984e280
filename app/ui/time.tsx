import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { DAY, HOUR, MINUTE } from "~/core/durations";
import { countOf } from "./format";

/** Render time in ms, repeated by the first client render. */
const RenderedAt = createContext(0);

export function RenderedAtProvider({ value, children }: { value: number; children: ReactNode }) {
  return <RenderedAt.Provider value={value}>{children}</RenderedAt.Provider>;
}

/** `long` on the dashboard, `running` within a sentence, `short` in the audit log, `date` without time, `left` until then. */
type TimeStyle = "long" | "running" | "short" | "date" | "left";

/** Cached: creating one costs a hundred uses. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(
  timeStyle: "short" | "medium" | undefined,
  timeZone: string | undefined,
): Intl.DateTimeFormat {
  const key = `${timeStyle} ${timeZone}`;
  const text =
    formatters.get(key) ?? new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle, timeZone });
  formatters.set(key, text);
  return text;
}

const full = (at: number, timeZone: string | undefined) => formatter("short", timeZone).format(at);
const day = (at: number, timeZone: string | undefined) => formatter(undefined, timeZone).format(at);

/** A moment in UTC, such as "Nov 24, 2026, 9:00 AM UTC"; `medium` has seconds. */
export const formatUtc = (at: number, timeStyle: "short" | "medium" = "short") =>
  `${formatter(timeStyle, "UTC").format(at).replaceAll("\u202f", " ")} UTC`;

/** Formats a moment relative to another, both in ms; by default in the browser's time zone. */
export function formatTime(at: number, from: number, style: TimeStyle, timeZone?: string): string {
  if (style === "date") return day(at, timeZone);
  if (style === "left") return `${countOf(Math.max(0, Math.ceil((at - from) / MINUTE)), "minute")} left`;
  const age = from - at;
  if (age < MINUTE) return style === "running" ? "just now" : "Just now";
  const minutes = Math.floor(age / MINUTE);
  const hours = Math.floor(age / HOUR);
  if (style !== "short") {
    if (age < HOUR) return `${countOf(minutes, "minute")} ago`;
    return age < DAY ? `${countOf(hours, "hour")} ago` : day(at, timeZone);
  }
  if (age < HOUR) return `${minutes}m ago`;
  if (age < DAY) return `${hours}h ago`;
  return age < 30 * DAY ? `${Math.floor(age / DAY)}d ago` : full(at, timeZone);
}

/** One clock for all times of a page, or neighbors would differ by a minute. */
let present = 0;
let timer: ReturnType<typeof setInterval> | undefined;
const followers = new Set<(present: number) => void>();

function tick(): void {
  present = Date.now();
  for (const follower of followers) follower(present);
}

function followClock(follower: (present: number) => void): () => void {
  if (timer === undefined) {
    timer = setInterval(tick, MINUTE);
    present = Date.now();
  }
  followers.add(follower);
  follower(present);
  return () => {
    followers.delete(follower);
    if (followers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

interface RelativeTimeProps {
  /** Milliseconds or an ISO date. */
  at: number | string;
  style?: TimeStyle;
  className?: string;
}

/** With the full date as a tooltip; in UTC until hydrated. */
export function RelativeTime({ at, style = "long", className }: RelativeTimeProps) {
  const renderedAt = useContext(RenderedAt);
  const [clock, setClock] = useState<number>();
  useEffect(() => followClock(setClock), []);
  const moment = typeof at === "number" ? at : Date.parse(at);
  const zone = clock === undefined ? "UTC" : undefined;
  return (
    <time
      dateTime={new Date(moment).toISOString()}
      title={`${full(moment, zone)}${zone ? " UTC" : ""}`}
      className={className}
    >
      {formatTime(moment, clock ?? renderedAt, style, zone)}
    </time>
  );
}
