// Shows pushes. It has no fetch handler: pages are loaded as without it.
self.addEventListener("push", (event) => {
  const { id, title, body, link, icon = "icon.svg" } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, { body, tag: id, icon, data: { link } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { pathname, search, hash } = new URL(event.notification.data.link, self.location.origin);
  event.waitUntil(self.clients.openWindow(pathname + search + hash));
});
