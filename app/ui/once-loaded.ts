import { withBase } from "~/core/base-path";
import { keepOverSignIn } from "./kept-over-sign-in";

/** The worker that shows pushes and, where the console can't be reached, says so. */
export const registerWorker = (): Promise<ServiceWorkerRegistration> =>
  navigator.serviceWorker.register(withBase("/worker.js"));

/** What a page begins once it has loaded and works. */
export function onceLoaded(): void {
  keepOverSignIn();
  // In a window of its own there is no browser to say that a page can't be loaded.
  if (matchMedia("(display-mode: standalone)").matches) registerWorker().catch(() => undefined);
}
