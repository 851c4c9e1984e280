import { withBase } from "~/core/base-path";

/** The worker that shows pushes and, where the console can't be reached, says so. */
export const registerWorker = (): Promise<ServiceWorkerRegistration> =>
  navigator.serviceWorker.register(withBase("/worker.js"));

/** In a window of its own there is no browser to say that a page can't be loaded. */
export function watchInstalledApp(): void {
  if (!("serviceWorker" in navigator) || !matchMedia("(display-mode: standalone)").matches) return;
  registerWorker().catch(() => undefined);
}

/** Shows on the installed app's icon how much waits; browsers without such icons ignore it. */
export function showBadge(count: number): void {
  if (!("setAppBadge" in navigator)) return;
  (count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge()).catch(() => undefined);
}
