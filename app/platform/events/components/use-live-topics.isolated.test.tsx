import { parseHTML } from "linkedom";
import type { ComponentType } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import {
  createMemoryRouter,
  Outlet,
  type RouteObject,
  RouterProvider,
  useNavigation,
} from "react-router-dom";
import { expect, it, onTestFinished, vi } from "vitest";

interface Stream {
  onmessage?: (event: { data: string }) => void;
  close: () => void;
}

/** A page's router below a root with the version that is newest as it loads. */
async function openPages(newest: () => string, children: (Page: ComponentType) => RouteObject[]) {
  const { document, window } = parseHTML("<html><body><main></main></body></html>");
  Object.assign(document, { visibilityState: "visible" });
  vi.stubGlobal("document", document);
  vi.stubGlobal("window", Object.assign(window, { setTimeout, clearTimeout }));
  const streams: Stream[] = [];
  vi.stubGlobal("EventSource", function stream() {
    const opened = { close: () => {} };
    streams.push(opened);
    return opened;
  });
  vi.resetModules();
  const { useLiveTopics } = await import("./use-live-topics");
  function Page() {
    useLiveTopics(["workflows"]);
    return useNavigation().state;
  }
  const root = { id: "root", path: "/", loader: () => ({ liveVersion: newest() }), element: <Outlet /> };
  const router = createMemoryRouter([{ ...root, children: children(Page) }]);
  const shown = createRoot(document.querySelector("main") as unknown as HTMLElement);
  flushSync(() => shown.render(<RouterProvider router={router} future={{ v7_startTransition: true }} />));
  onTestFinished(() => {
    flushSync(() => shown.unmount());
    router.dispose();
  });
  await vi.waitFor(() => expect(streams).toHaveLength(1));
  const send = (version: string) =>
    streams[0]?.onmessage?.({ data: JSON.stringify({ topic: "workflows", version }) });
  const text = () => document.querySelector("main")?.textContent;
  return { router, send, streams, text };
}

it("reloads a page that stayed as it was while the rest was loaded after a form", async () => {
  let newest = "a.1";
  const load = vi.fn(() => ({}));
  const { router, send } = await openPages(
    () => newest,
    (Page) => [
      {
        id: "page",
        index: true,
        loader: load,
        action: () => ({}),
        shouldRevalidate: ({ formMethod }) => formMethod === undefined,
        element: <Page />,
      },
    ],
  );
  expect(load).toHaveBeenCalledTimes(1);

  newest = "a.2";
  router.fetch("check", "page", "/?index", { formMethod: "post", formData: new FormData() });
  await vi.waitFor(() => expect(router.state.loaderData.root).toEqual({ liveVersion: "a.2" }));
  expect(load).toHaveBeenCalledTimes(1);

  send("a.2");
  await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(2));
});

it("reloads a page whose change came to the page before it, after its data was read", async () => {
  let newest = "a.1";
  let answer = () => {};
  const load = vi.fn(async () => {
    if (load.mock.calls.length === 1) await new Promise<void>((resolve) => (answer = resolve));
    return {};
  });
  const { router, send, streams, text } = await openPages(
    () => newest,
    (Page) => [
      { id: "list", index: true, loader: () => ({}), element: <Page key="list" /> },
      { id: "run", path: "run", loader: load, element: <Page key="run" /> },
    ],
  );

  void router.navigate("/run");
  await vi.waitFor(() => expect(text()).toBe("loading"));
  newest = "a.2";
  send("a.2");
  answer();
  await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(2));
  await vi.waitFor(() => expect(router.state.loaderData.root).toEqual({ liveVersion: "a.2" }));
  expect(streams).toHaveLength(1);
});
