import { useEffect, useRef, useState } from "react";
import type { PickedFile } from "./add-files";
import type { Drop } from "./dropped-files";

const loadReader = () => import("./dropped-files");

/** Must run before the first await: the items are gone after the event. */
function takeDrop({ items, files }: DataTransfer): Drop {
  return { entries: [...items].flatMap((item) => item.webkitGetAsEntry?.() ?? []), files: [...files] };
}

const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

/** Accepts file drops on the whole page. @returns whether files are being dragged over it */
export function useFileDrop(enabled: boolean, onFiles: (files: PickedFile[]) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const handler = useRef(onFiles);
  handler.current = onFiles;
  useEffect(() => {
    if (!enabled) return;
    const controller = new AbortController();
    const { signal } = controller;
    let depth = 0;
    const count = (by: 1 | -1) => (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      depth = Math.max(0, depth + by);
      setIsOver(depth > 0);
      // Ignored offline: the drop itself reports the failure.
      loadReader().catch(() => undefined);
    };
    document.addEventListener("dragenter", count(1), { signal });
    document.addEventListener("dragleave", count(-1), { signal });
    document.addEventListener("dragover", (event) => carriesFiles(event) && event.preventDefault(), {
      signal,
    });
    document.addEventListener(
      "drop",
      (event) => {
        if (!carriesFiles(event) || !event.dataTransfer) return;
        event.preventDefault();
        depth = 0;
        setIsOver(false);
        const drop = takeDrop(event.dataTransfer);
        loadReader()
          .then(({ filesOfDrop }) => filesOfDrop(drop))
          .then((files) => {
            if (files.length > 0) handler.current(files);
          }, reportError);
      },
      { signal },
    );
    return () => controller.abort();
  }, [enabled]);
  return isOver;
}
