import { Form } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { CopyButton } from "~/ui/copy-button";
import { formatUtc, RelativeTime } from "~/ui/time";

interface TriggersCardProps {
  triggers: readonly { id: string; type: string; label: string; detail?: string }[];
  dueTimes: Readonly<Record<string, string[]>>;
  webhooks: readonly { triggerId: string; address: string }[];
  calls: readonly { id: string; triggerId: string; status: number; reason: string | null; at: string }[];
  mayWrite: boolean;
}

/** Next due times of schedules, URL and recent calls of webhooks. */
export function TriggersCard({ triggers, dueTimes, webhooks, calls, mayWrite }: TriggersCardProps) {
  return (
    <Card title="Triggers">
      {triggers.length === 0 && <p className="text-muted">Other workflows can call it.</p>}
      <ul className="flex flex-col gap-4">
        {triggers.map(({ id, label, detail }) => {
          const hook = webhooks.find(({ triggerId }) => triggerId === id);
          const times = dueTimes[id] ?? [];
          const own = calls.filter(({ triggerId }) => triggerId === id);
          return (
            <li key={id} className="flex min-w-0 flex-col gap-1.5">
              <p className="font-medium">
                {label}
                {detail && <span className="ml-2 font-mono font-normal text-muted text-xs">{detail}</span>}
              </p>
              {times.length > 0 && (
                <ul aria-label="Next runs" className="text-muted text-xs">
                  {times.map((at) => (
                    <li key={at}>
                      <time dateTime={at}>{formatUtc(Date.parse(at))}</time>
                    </li>
                  ))}
                </ul>
              )}
              {hook && (
                <div className="flex min-w-0 flex-col gap-1.5">
                  <div className="flex min-w-0 items-center gap-1">
                    <code
                      className="min-w-0 flex-1 truncate rounded-sm bg-sunken px-2 py-1 text-xs"
                      title={hook.address}
                    >
                      {hook.address}
                    </code>
                    <CopyButton text={hook.address} label="Copy the webhook address" />
                  </div>
                  {mayWrite && (
                    <Form method="post">
                      <input type="hidden" name="trigger" value={id} />
                      <Button size="sm" name="intent" value="rotate">
                        Change Address
                      </Button>
                    </Form>
                  )}
                </div>
              )}
              {own.length > 0 && (
                <details>
                  <summary className="disclosure cursor-pointer text-muted text-xs">Last calls</summary>
                  <ul className="mt-1 flex flex-col gap-1 text-xs">
                    {own.map(({ id: call, status, reason, at }) => (
                      <li key={call}>
                        <span className="font-mono">{status}</span> · <RelativeTime at={at} style="short" />
                        {reason && ` · ${reason}`}
                      </li>
                    ))}
                  </ul>
                </details>
              )}
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
