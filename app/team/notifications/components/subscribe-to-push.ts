const DENIED = "The browser blocks notifications of this site. Allow them in its settings, then try again.";
const FAILED = "Couldn't enable push. Try again.";

/** @returns the subscription, renewed if its key changed */
async function subscribe(registration: ServiceWorkerRegistration, publicKey: string) {
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  try {
    return await registration.pushManager.subscribe(options);
  } catch (error) {
    const former = await registration.pushManager.getSubscription();
    if (!former) throw error;
    await former.unsubscribe();
    return registration.pushManager.subscribe(options);
  }
}

/** Subscribes this browser. @returns an error for the user */
export async function subscribeToPush(publicKey: string): Promise<string | undefined> {
  if ((await Notification.requestPermission()) !== "granted") return DENIED;
  try {
    await navigator.serviceWorker.register("/push-worker.js");
    const subscription = await subscribe(await navigator.serviceWorker.ready, publicKey);
    const response = await fetch("/api/notifications/push", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(subscription),
    });
    return response.ok ? undefined : FAILED;
  } catch {
    return FAILED;
  }
}
