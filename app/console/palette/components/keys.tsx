import type { Command } from "./commands";

const CAP =
  "inline-grid h-5 min-w-5 place-items-center rounded-xs border border-line bg-sunken px-1 font-sans text-muted text-xs";

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

const SHORTCUTS: readonly (readonly [keys: readonly string[], label: string])[] = [
  [["Ctrl", "K"], "Open the palette"],
  [["?"], "Show every command with its shortcut"],
  [["Ctrl", "B"], "Hide or show the sidebar"],
  [["Esc"], "Close the open dialog or menu, or stop an answer"],
  [["Ctrl", "Enter"], "Send a message"],
  [["Shift", "Enter"], "Start a new line in a message"],
  [["↑"], "Edit the last message, from an empty field"],
];

export function Shortcuts() {
  return (
    <section className="mt-6 border-line border-t pt-4" aria-labelledby="shortcuts">
      <h2 id="shortcuts" className="px-2 pb-1 text-muted text-xs">
        Keyboard Shortcuts
      </h2>
      <ul>
        {SHORTCUTS.map(([keys, label]) => (
          <li key={label} className="flex min-h-10 items-center gap-3 px-2">
            <span className="min-w-0 flex-1">{label}</span>
            <span className="flex gap-1">
              {keys.map((key) => (
                <kbd key={key} className={CAP}>
                  {key}
                </kbd>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
