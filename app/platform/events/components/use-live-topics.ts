import {
  useActionData,
  useFetchers,
  useNavigation,
  useRevalidator,
  useRouteLoaderData,
} from "@remix-run/react";
import { useEffect, useRef } from "react";
import type { Topic } from "~/platform/catalogue/topics";
import { followTopics } from "./live-topics";

/** Versions of another epoch are newer. */
export function isNewer(version: string, current: string | undefined): boolean {
  if (current === undefined) return false;
  const [epoch, number] = version.split(".");
  const [knownEpoch, knownNumber] = current.split(".");
  return epoch !== knownEpoch || Number(number) > Number(knownNumber);
}

/** Never returns an empty topic, for which the server would refuse the whole stream. */
export const splitTopics = (joined: string): string[] => (joined === "" ? [] : joined.split(","));

/** Least time between two revalidations, in ms. */
const MIN_INTERVAL = 500;

interface LiveTopicsOptions {
  /** The page's only subject; other changes are ignored. */
  id?: string | undefined;
  /** True while a revalidation would lose something, such as a search; it follows later. */
  isPaused?: boolean;
}

/**
 * Revalidates a page when its topics change. Waits while the page is hidden, loading, submitting or showing form
 * errors, which a revalidation would remove.
 */
export function useLiveTopics(
  topics: readonly Topic[],
  { id, isPaused = false }: LiveTopicsOptions = {},
): void {
  const { revalidate, state: loading } = useRevalidator();
  const navigation = useNavigation();
  const sending = useFetchers().some(({ state }) => state !== "idle");
  const answered = useActionData() !== undefined;
  const loaded = useRouteLoaderData<{ liveVersion?: string }>("root")?.liveVersion;
  const isBusy = isPaused || sending || answered || loading !== "idle" || navigation.state !== "idle";
  const latest = useRef({ loaded, isBusy, revalidate });
  latest.current = { loaded, isBusy, revalidate };
  const live = useRef({ missed: undefined as string | undefined, begun: 0, nextAt: 0, check: () => {} });

  const key = topics.join();
  useEffect(() => {
    const state = live.current;
    let timer: number | undefined;
    const check = () => {
      const { missed } = state;
      if (timer !== undefined || missed === undefined) return;
      if (!isNewer(missed, latest.current.loaded)) {
        state.missed = undefined;
        return;
      }
      if (latest.current.isBusy || document.visibilityState === "hidden") return;
      const wait = state.nextAt - performance.now();
      if (wait > 0) {
        timer = window.setTimeout(() => {
          timer = undefined;
          check();
        }, wait);
        return;
      }
      state.missed = undefined;
      state.begun = performance.now();
      state.nextAt = state.begun + MIN_INTERVAL;
      latest.current.revalidate();
    };
    state.check = check;
    const stop = followTopics(splitTopics(key), (event) => {
      if (id !== undefined && event.id !== undefined && event.id !== id) return;
      if (state.missed === undefined || isNewer(event.version, state.missed)) state.missed = event.version;
      check();
    });
    document.addEventListener("visibilitychange", check);
    return () => {
      stop();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", check);
      state.check = () => {};
    };
  }, [key, id]);

  useEffect(() => {
    if (loading !== "idle") return;
    const state = live.current;
    // A slow page waits as long as it takes to load.
    const at = performance.now();
    if (state.begun > 0) state.nextAt = Math.max(state.nextAt, at + (at - state.begun));
    state.begun = 0;
  }, [loading]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a missed change may be due whenever one of these changes
  useEffect(() => live.current.check(), [isBusy, loaded]);
}
