// Shows pushes. It has no fetch handler: pages are loaded as without it.
self.addEventListener("push", (event) => {
  const { id, title, body, link } = event.data.json();
  event.waitUntil(
    self.registration.showNotification(title, { body, tag: id, icon: "/icon.svg", data: { link } }),
  );
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { pathname, search, hash } = new URL(event.notification.data.link, self.location.origin);
  event.waitUntil(self.clients.openWindow(pathname + search + hash));
});
