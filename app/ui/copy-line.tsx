import { CopyButton } from "./copy-button";

/** A line to copy into a file, with what to replace in it, and below it what to do with it. */
export function CopyLine({ line, rest, hint }: { line: string; rest: string; hint: string }) {
  return (
    <div className="text-xs">
      <p className="flex max-w-md items-center rounded-md border border-line bg-sunken pl-2.5">
        <code className="wrap-anywhere min-w-0 flex-1 py-1.5 font-mono text-ink">
          {line}
          <span className="text-muted">{rest}</span>
        </code>
        <CopyButton text={line} label={`Copy ${line}`} />
      </p>
      <p className="text-muted">{hint}</p>
    </div>
  );
}
