interface CallProgressProps {
  value: number;
  total?: number | undefined;
  message?: string | undefined;
}

/** A bar if the total is known. */
export function CallProgress({ value, total, message }: CallProgressProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-muted text-xs">
      {total !== undefined && (
        <progress
          value={value}
          max={total}
          aria-label="Progress"
          className="h-1.5 min-w-24 flex-1 accent-primary-solid"
        />
      )}
      <span className="wrap-anywhere">
        {message || (total === undefined ? value : `${value} of ${total}`)}
      </span>
    </div>
  );
}
