import type { Command } from "./commands";

/** A key cap. */
export const CAP =
  "inline-grid h-5 min-w-5 place-items-center rounded-xs border border-line bg-sunken px-1 font-sans text-muted text-xs";

/** With Ctrl or Cmd, and as two keys. */
export function Keys({ command, mac = false }: { command: Command; mac?: boolean }) {
  if (!command.key && !command.letter) return null;
  return (
    <span className="hidden items-center gap-3 sm:flex">
      {command.key && (
        <span className="flex gap-1">
          <kbd className={CAP}>{mac ? "⌘" : "Ctrl"}</kbd>
          <kbd className={CAP}>{command.key.toUpperCase()}</kbd>
        </span>
      )}
      {command.letter && (
        <span className="flex min-w-12 items-center gap-1 text-muted text-xs">
          <kbd className={CAP}>G</kbd>
          <span className="sr-only">then</span>
          <kbd className={CAP}>{command.letter.toUpperCase()}</kbd>
        </span>
      )}
    </span>
  );
}
