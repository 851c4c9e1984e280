import { HOUR } from "~/core/durations";
import type { LastRefresh } from "../../documents.schema";
import { SCHEDULES } from "../../ingestion/ingest.shared";

export function scheduleLabel(every: number | null): string {
  const preset = SCHEDULES.find((schedule) => schedule.every === (every ?? 0));
  if (preset) return preset.label;
  const hours = (every ?? 0) / HOUR;
  const everyLabel = (count: number, unit: string) =>
    `Every ${count.toLocaleString("en-US", { maximumFractionDigits: 1 })} ${unit}`;
  return hours >= 48 && hours % 24 === 0 ? everyLabel(hours / 24, "days") : everyLabel(hours, "hours");
}

export function schedulesWith(present: number | null): { every: number; label: string }[] {
  const usual: { every: number; label: string }[] = [...SCHEDULES];
  if (present === null || usual.some(({ every }) => every === present)) return usual;
  return [...usual, { every: present, label: scheduleLabel(present) }].sort((a, b) => a.every - b.every);
}

export const OUTCOMES: Record<LastRefresh["outcome"], string> = {
  added: "new",
  changed: "changed",
  unchanged: "unchanged",
  failed: "failed",
  cancelled: "canceled",
};

export function refreshTime(at: string): string {
  const format = { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" } as const;
  return `${new Intl.DateTimeFormat("en-US", format).format(Date.parse(at))} UTC`;
}
