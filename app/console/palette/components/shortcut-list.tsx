import { CAP } from "./keys";

const SHORTCUTS: readonly (readonly [keys: readonly string[], label: string])[] = [
  [["Ctrl", "K"], "Open the palette"],
  [["?"], "Show every command with its shortcut"],
  [["Esc"], "Close the open dialog or menu"],
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
