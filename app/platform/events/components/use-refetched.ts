import { useRouteLoaderData } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import type { Topic } from "~/platform/catalogue/topics";
import { followTopics } from "./live-topics";
import { isNewer } from "./use-live-topics";

/** @returns undefined unless the response is whole and JSON: after a session has ended it is the sign-in page */
export async function readPart<T>(response: Response | undefined): Promise<T | undefined> {
  if (!response?.ok || !response.headers.get("content-type")?.includes("json")) return undefined;
  // The connection may be lost within the body.
  return response.json().catch(() => undefined) as Promise<T | undefined>;
}

/**
 * Keeps a part of a page's data up to date: refetches it after each change of a topic, without reloading the page.
 *
 * @param loaded the part from the loader, a new object with each load
 * @param url returns the part as JSON
 */
export function useRefetched<T extends object>(loaded: T, topic: Topic, url: string): T {
  const version = useRouteLoaderData<{ liveVersion?: string }>("root")?.liveVersion;
  const [fetched, setFetched] = useState({ loaded, part: loaded });
  const latest = useRef({ loaded, version });
  // Skips only events older than the document: an extra request costs less than a missed change.
  if (latest.current.loaded !== loaded) latest.current = { loaded, version: undefined };
  useEffect(() => {
    let isCurrent = true;
    const refetch = async () => {
      const { current } = latest;
      const response = await fetch(url).catch(() => undefined);
      const part = await readPart<T>(response);
      if (part && isCurrent) setFetched({ loaded: current.loaded, part });
    };
    // In the same tick as the page's own topics, so that they share one connection.
    const stop = followTopics([topic], (event) => {
      const latestVersion = latest.current.version;
      // The stream begins with changes that the page already has.
      if (latestVersion === undefined || isNewer(event.version, latestVersion)) void refetch();
    });
    return () => {
      isCurrent = false;
      stop();
    };
  }, [topic, url]);
  return fetched.loaded === loaded ? fetched.part : loaded;
}
