import { Download } from "lucide-react";
import { cx } from "./class-names";
import { formatSize } from "./format";

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

interface StripFile {
  href: string;
  name: string;
  /** In bytes. */
  size: number;
  isImage: boolean;
}

/** Images as previews, others as downloads. */
export function FileStrip({ label, files }: { label: string; files: readonly StripFile[] }) {
  if (files.length === 0) return null;
  return (
    <ul aria-label={label} className="flex flex-wrap items-end gap-2">
      {files.map(({ href, name, size, isImage }) => (
        <li key={href} className="min-w-0 max-w-full">
          <a
            href={href}
            target={isImage ? "_blank" : undefined}
            rel="noreferrer"
            download={isImage ? undefined : name}
            aria-label={isImage ? `Open ${name}` : undefined}
            className="flex min-h-11 min-w-11 items-center justify-center gap-2 overflow-hidden rounded-md border border-line bg-sunken text-sm hover:border-edge [&>svg]:size-4 [&>svg]:shrink-0"
          >
            {isImage ? (
              <img
                src={href}
                alt={name}
                loading="lazy"
                className={cx("max-w-full object-contain", files.length > 1 ? "max-h-64" : "max-h-96")}
              />
            ) : (
              <>
                <bdi className="min-w-0 truncate pl-3">{name}</bdi>
                <span className="shrink-0 text-muted text-xs">{formatSize(size)}</span>
                <Download aria-hidden="true" className="mr-3" />
              </>
            )}
          </a>
          {isImage && (
            <a
              href={href}
              download={name}
              aria-label={`Download ${name}`}
              className="inline-flex min-h-8 items-center gap-1.5 text-muted text-xs hover:text-ink pointer-coarse:min-h-11"
            >
              <Download aria-hidden="true" className="size-3.5" />
              Download
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}
