import { cx } from "~/ui/class-names";

interface ProgressBarProps {
  label: string;
  done: number;
  /** 0 if unknown, for an indeterminate bar. */
  total: number;
  className?: string;
}

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
