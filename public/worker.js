// Shows pushes, and in an installed console a page of its own when a page can't be loaded. Nothing is kept of any page.
const offlinePage = () => `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Can't reach the console</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 ui-sans-serif, system-ui, sans-serif }
  body { display: grid; min-height: 100dvh; margin: 0; padding: 1rem; box-sizing: border-box; place-content: center; text-align: center }
  h1 { margin: 0 0 .25rem; font-size: 1.25rem } p { margin: 0 0 1rem }
  button { min-height: 2.75rem; padding: 0 1rem; font: inherit; cursor: pointer }
</style>
<main><h1>Can't reach the console</h1><p>The page opens by itself once the connection is back.</p><button>Try Again</button></main>
<script>
  const again = () => location.reload();
  document.querySelector("button").addEventListener("click", again);
  addEventListener("online", again);
  setInterval(() => fetch("${new URL("healthz", self.registration.scope).pathname}", { method: "HEAD" }).then(({ ok }) => ok && again(), () => undefined), 5000);
</script></html>`;

self.addEventListener("activate", (event) => {
  // Pages are asked for while the worker starts.
  event.waitUntil(self.registration.navigationPreload?.enable());
});

self.addEventListener("fetch", (event) => {
  const { mode, method } = event.request;
  if (mode !== "navigate" || method !== "GET") return;
  const page = async () => {
    try {
      return (await event.preloadResponse) ?? (await fetch(event.request));
    } catch {
      return new Response(offlinePage(), {
        status: 503,
        headers: { "content-type": "text/html; charset=utf-8" },
      });
    }
  };
  event.respondWith(page());
});

self.addEventListener("push", (event) => {
  const { id, title, body, link, icon = "icon.svg" } = event.data.json();
  const show = async () => {
    await self.registration.showNotification(title, { body, tag: id, icon, data: { link } });
    const waiting = await self.registration.getNotifications();
    await self.navigator.setAppBadge?.(waiting.length).catch(() => undefined);
  };
  event.waitUntil(show());
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { pathname, search, hash } = new URL(event.notification.data.link, self.location.origin);
  event.waitUntil(self.clients.openWindow(pathname + search + hash));
});
