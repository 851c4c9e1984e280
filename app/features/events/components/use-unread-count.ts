import { useEffect, useRef, useState } from "react";

/**
 * The number of unread notifications: as it was loaded, and after each change as the server counts it. The page isn't
 * loaded again for it.
 *
 * @param loaded another object with each load
 */
export function useUnreadCount(loaded: { unread: number }): number {
  const [counted, setCounted] = useState({ loaded, unread: loaded.unread });
  const latest = useRef(loaded);
  latest.current = loaded;
  useEffect(() => {
    let isCurrent = true;
    const count = async () => {
      const { current } = latest;
      const response = await fetch("/api/notifications/count").catch(() => undefined);
      if (!response?.ok) return;
      const { unread } = (await response.json()) as { unread: number };
      if (isCurrent) setCounted({ loaded: current, unread });
    };
    let stop = () => {};
    // After the page: what it needs by itself loads first.
    void import("./live-topics").then(({ followTopics }) => {
      if (isCurrent) stop = followTopics(["notifications"], () => void count());
    });
    return () => {
      isCurrent = false;
      stop();
    };
  }, []);
  return counted.loaded === loaded ? counted.unread : loaded.unread;
}
