import { useEffect, useRef, useState } from "react";
import { filesOfDrop, type PickedFile } from "./picked-files";

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
        filesOfDrop(event.dataTransfer).then((files) => {
          if (files.length > 0) handler.current(files);
        }, reportError);
      },
      { signal },
    );
    return () => controller.abort();
  }, [enabled]);
  return isOver;
}
