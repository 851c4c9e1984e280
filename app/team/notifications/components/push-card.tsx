import { useRevalidator } from "@remix-run/react";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { withBase } from "~/core/base-path";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { useHydrated } from "~/ui/hydration";
import { registerWorker } from "~/ui/once-loaded";
import { Row } from "~/ui/row";
import { RowList } from "~/ui/row-selection";
import { RelativeTime } from "~/ui/time";

interface PushCardProps {
  publicKey: string;
  browsers: { id: string; name: string; isCurrent: boolean; createdAt: string }[];
}

export function PushCard({ publicKey, browsers }: PushCardProps) {
  const hydrated = useHydrated();
  const { revalidate } = useRevalidator();
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const isSupported = hydrated && "serviceWorker" in navigator && "PushManager" in window;
  const subscribe = async () => {
    setPending(true);
    setProblem(undefined);
    try {
      setProblem(await subscribeToPush(publicKey));
      revalidate();
    } finally {
      setPending(false);
    }
  };
  return (
    <Card
      id="push"
      title="Push"
      description="Get notifications in a browser, also while the console is closed"
      footer={
        isSupported ? (
          <>
            <Button type="button" pending={pending} onClick={subscribe}>
              Enable in This Browser
            </Button>
            <p role="status" className="text-danger-ink text-sm">
              {problem}
            </p>
          </>
        ) : (
          <p className="text-muted text-xs">
            Push requires JavaScript, HTTPS and a browser that supports it.
          </p>
        )
      }
    >
      {browsers.length === 0 ? (
        <p className="text-muted">No browser is enabled.</p>
      ) : (
        <RowList label="Browsers" flush>
          {browsers.map(({ id, name, isCurrent, createdAt }) => (
            <Row
              key={id}
              name={name}
              state={isCurrent && <Badge tone="success">This browser</Badge>}
              meta={
                <>
                  enabled <RelativeTime at={createdAt} style="running" />
                </>
              }
              actions={[{ label: "Remove", icon: <Trash2 />, values: { intent: "remove-browser", id } }]}
            />
          ))}
        </RowList>
      )}
    </Card>
  );
}

const DENIED = "The browser blocks notifications of this site. Allow them in its settings, then try again.";
const FAILED = "Couldn't enable push. Try again.";

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
async function subscribeToPush(publicKey: string): Promise<string | undefined> {
  if ((await Notification.requestPermission()) !== "granted") return DENIED;
  try {
    await registerWorker();
    const subscription = await subscribe(await navigator.serviceWorker.ready, publicKey);
    const response = await fetch(withBase("/api/notifications/push"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(subscription),
    });
    return response.ok ? undefined : FAILED;
  } catch {
    return FAILED;
  }
}
