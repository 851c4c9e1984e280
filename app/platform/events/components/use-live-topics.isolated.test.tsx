import { parseHTML } from "linkedom";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { createMemoryRouter, Outlet, RouterProvider } from "react-router-dom";
import { expect, it, onTestFinished, vi } from "vitest";

it("reloads a page that stayed as it was while the rest was loaded after a form", async () => {
  const { document, window } = parseHTML("<html><body><main></main></body></html>");
  Object.assign(document, { visibilityState: "visible" });
  vi.stubGlobal("document", document);
  vi.stubGlobal("window", Object.assign(window, { setTimeout, clearTimeout }));
  const streams: { onmessage?: (event: { data: string }) => void; close: () => void }[] = [];
  vi.stubGlobal("EventSource", function stream() {
    const opened = { close: () => {} };
    streams.push(opened);
    return opened;
  });
  const { useLiveTopics } = await import("./use-live-topics");
  function Page() {
    useLiveTopics(["workflows"]);
    return null;
  }
  let newest = "a.1";
  const load = vi.fn(() => ({}));
  const page = {
    id: "page",
    index: true,
    loader: load,
    action: () => ({}),
    shouldRevalidate: ({ formMethod }: { formMethod?: string }) => formMethod === undefined,
    element: <Page />,
  };
  const root = { id: "root", path: "/", loader: () => ({ liveVersion: newest }), element: <Outlet /> };
  const router = createMemoryRouter([{ ...root, children: [page] }]);
  const shown = createRoot(document.querySelector("main") as unknown as HTMLElement);
  flushSync(() => shown.render(<RouterProvider router={router} future={{ v7_startTransition: true }} />));
  onTestFinished(() => {
    flushSync(() => shown.unmount());
    router.dispose();
  });
  await vi.waitFor(() => expect(streams).toHaveLength(1));
  expect(load).toHaveBeenCalledTimes(1);

  newest = "a.2";
  router.fetch("check", "page", "/?index", { formMethod: "post", formData: new FormData() });
  await vi.waitFor(() => expect(router.state.loaderData.root).toEqual({ liveVersion: "a.2" }));
  expect(load).toHaveBeenCalledTimes(1);

  const change = { topic: "workflows", version: "a.2" };
  streams[0]?.onmessage?.({ data: JSON.stringify(change) });
  await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(2));
});
