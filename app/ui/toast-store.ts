export interface Toast {
  id: string;
  kind: "success" | "error" | "info";
  title: string;
  description?: string | undefined;
  undo?: { action: string; intent: string } | undefined;
  /** For `document.cookie`: removes the server's message, which other tabs would show too. */
  forget?: string | undefined;
}

/** Time after which a dismissed toast leaves memory, in ms. */
export const REMOVE_AFTER = 1_000_000;
/** Time after which a toast other than an error hides, in ms. */
export const HIDE_AFTER = 6000;

interface Entry {
  toast: Toast;
  open: boolean;
}

let entries: readonly Entry[] = [];
let count = 0;
const listeners = new Set<() => void>();

function change(next: readonly Entry[]): void {
  entries = next;
  for (const listener of listeners) listener();
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function openToast(): Toast | undefined {
  return entries.find((entry) => entry.open)?.toast;
}

export function isKnown(id: string): boolean {
  return entries.some((entry) => entry.toast.id === id);
}

export function dismissToast(id: string): void {
  const entry = entries.find((one) => one.toast.id === id);
  if (!entry?.open) return;
  change(entries.map((one) => (one === entry ? { ...one, open: false } : one)));
  setTimeout(() => change(entries.filter((one) => one.toast.id !== id)), REMOVE_AFTER);
}

export function dismissSuccess(): void {
  const open = openToast();
  if (open?.kind === "success" && !open.undo) dismissToast(open.id);
}

export function showToast(toast: Omit<Toast, "id"> & { id?: string }): void {
  const id = toast.id ?? `local-${++count}`;
  if (isKnown(id)) return;
  const open = openToast();
  if (open) dismissToast(open.id);
  change([...entries, { toast: { ...toast, id }, open: true }]);
}
