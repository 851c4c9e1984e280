import { cx } from "~/ui/class-names";

interface ProgressBarProps {
  label: string;
  done: number;
  /** 0 while it is unknown: then the bar only says that work continues. */
  total: number;
  className?: string;
}

/** How far some work is; the words and counts stand beside it. */
export function ProgressBar({ label, done, total, className }: ProgressBarProps) {
  const known = total > 0;
  const percent = known ? Math.min(100, Math.round((done / total) * 100)) : undefined;
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className={cx("h-1 overflow-hidden rounded-full bg-active", className)}
    >
      <div
        className={cx(
          "h-full rounded-full bg-primary-ink",
          !known && "w-2/5 animate-[slide_1200ms_ease-in-out_infinite] motion-reduce:w-full",
        )}
        style={known ? { width: `${percent}%` } : undefined}
      />
    </div>
  );
}
