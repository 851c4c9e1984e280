import { useEffect } from "react";

/** Keeps the browser from opening a file that is dropped where nothing takes it, which would leave the page. */
export function useDropGuard(): void {
  useEffect(() => {
    const controller = new AbortController();
    const guard = (event: DragEvent) => {
      const { dataTransfer, defaultPrevented, target } = event;
      // On the window, after everything on the page: what takes files has said so by then.
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
