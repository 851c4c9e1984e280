import { useEffect, useRef, useState } from "react";
import type { Topic } from "../../index.schema";

/**
 * A part of what a page has loaded, and after each change of a topic the same part as the server has it by then. The page
 * isn't loaded again for it.
 *
 * @param loaded another object with each load
 * @param url answers with the part as JSON
 */
export function useRefetched<T extends object>(loaded: T, topic: Topic, url: string): T {
  const [fetched, setFetched] = useState({ loaded, part: loaded });
  const latest = useRef(loaded);
  latest.current = loaded;
  useEffect(() => {
    let isCurrent = true;
    const refetch = async () => {
      const { current } = latest;
      const response = await fetch(url).catch(() => undefined);
      if (!response?.ok) return;
      const part = (await response.json()) as T;
      if (isCurrent) setFetched({ loaded: current, part });
    };
    let stop = () => {};
    // After the page: what it needs by itself loads first.
    void import("./live-topics").then(({ followTopics }) => {
      if (isCurrent) stop = followTopics([topic], () => void refetch());
    });
    return () => {
      isCurrent = false;
      stop();
    };
  }, [topic, url]);
  return fetched.loaded === loaded ? fetched.part : loaded;
}
