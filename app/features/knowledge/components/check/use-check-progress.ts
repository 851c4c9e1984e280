import { useRevalidator } from "@remix-run/react";
import { useEffect, useState } from "react";
import type { CheckRun } from "../../retrieval-check.schema";

/** How far the running check is; the page is read anew when it is over. */
export function useCheckProgress(running: CheckRun | undefined): { done: number; total: number } | undefined {
  const { revalidate } = useRevalidator();
  const [told, setTold] = useState<{ run: string; done: number; total: number }>();
  const id = running?.id;
  useEffect(() => {
    if (!id) return;
    const source = new EventSource("/api/rag/check/events");
    source.onmessage = ({ data }: MessageEvent<string>) => {
      if (data === "[DONE]") {
        source.close();
        return revalidate();
      }
      // The console's own server wrote it.
      const { done, total } = JSON.parse(data) as { done: number; total: number };
      setTold({ run: id, done, total });
    };
    // It was over before the stream began: 204 ends it for good.
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) revalidate();
    };
    return () => source.close();
  }, [id, revalidate]);
  return told && told.run === id ? told : running;
}
