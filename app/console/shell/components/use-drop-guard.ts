import { useEffect } from "react";

/** Prevents navigation to a dropped file. */
export function useDropGuard(): void {
  useEffect(() => {
    const controller = new AbortController();
    const guard = (event: DragEvent) => {
      const { dataTransfer, defaultPrevented, target } = event;
      // On the window, after drop targets.
      if (defaultPrevented || !dataTransfer?.types.includes("Files")) return;
      if (target instanceof Element && target.closest("input[type=file]")) return;
      event.preventDefault();
      dataTransfer.dropEffect = "none";
    };
    window.addEventListener("dragover", guard, { signal: controller.signal });
    window.addEventListener("drop", guard, { signal: controller.signal });
    return () => controller.abort();
  }, []);
}
