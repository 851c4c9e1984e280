import { kept } from "~/core/kept.server";

// Avoids an import cycle with the dispatcher.
const holder = () => kept("job wake", (): { wake?: (() => void) | undefined } => ({}));

/** Registers the dispatcher. @returns a function to unregister */
export function onWake(dispatch: () => void): () => void {
  holder().wake = dispatch;
  return () => {
    if (holder().wake === dispatch) holder().wake = undefined;
  };
}

/** Wakes the dispatcher after the current transaction. */
export function wakeDispatcher(): void {
  holder().wake?.();
}
