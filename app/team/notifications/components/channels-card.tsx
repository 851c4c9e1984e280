import { Form, useNavigation } from "@remix-run/react";
import { Badge, type Tone } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { RelativeTime } from "~/ui/time";
import type { ChannelState, Delivery } from "../notifications.schema";

const STATES: Record<Delivery["state"], { tone: Tone; label: string }> = {
  queued: { tone: "info", label: "Queued" },
  sending: { tone: "info", label: "Sending" },
  sent: { tone: "success", label: "Sent" },
  failed: { tone: "danger", label: "Failed" },
  skipped: { tone: "neutral", label: "Skipped" },
};

interface ChannelsCardProps {
  channels: ChannelState[];
  deliveries: Delivery[];
}

export function ChannelsCard({ channels, deliveries }: ChannelsCardProps) {
  const navigation = useNavigation();
  const testing = navigation.formData?.get("intent") === "test-channel" && navigation.formData.get("channel");
  const labels = new Map(channels.map(({ channel, label }) => [channel, label]));
  return (
    <Card
      id="notification-channels"
      title="Notification Channels"
      description="Test a channel with its saved settings, whether it is on or off"
    >
      <ul className="flex flex-col">
        {channels.map(({ channel, label, isOn, problem }) => (
          <li
            key={channel}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-line py-2 not-last:border-b"
          >
            <div className="min-w-0 flex-[1_1_14rem]">
              <p className="flex flex-wrap items-center gap-2">
                <span className="font-medium text-sm">{label}</span>
                <Badge tone={isOn ? (problem ? "warning" : "success") : "neutral"}>
                  {isOn ? "On" : "Off"}
                </Badge>
              </p>
              {problem && <p className="text-pretty text-muted text-xs">{problem}</p>}
            </div>
            <Form method="post" preventScrollReset>
              <input type="hidden" name="channel" value={channel} />
              <Button
                size="sm"
                name="intent"
                value="test-channel"
                pending={testing === channel}
                aria-label={`Test ${label}`}
              >
                Test
              </Button>
            </Form>
          </li>
        ))}
      </ul>
      {deliveries.length > 0 && (
        <details className="mt-3">
          <summary className="disclosure min-h-8 cursor-pointer content-center text-sm pointer-coarse:min-h-11">
            Last deliveries
          </summary>
          <ul className="mt-1 flex flex-col">
            {deliveries.map(({ id, channel, label, recipient, state, attempts, error, createdAt }) => (
              <li
                key={id}
                className="flex items-start justify-between gap-4 border-line py-2 not-last:border-b"
              >
                <div className="min-w-0 text-xs">
                  <p>
                    {label} · {labels.get(channel) ?? channel} · {recipient && <bdi>{recipient}</bdi>}
                    {recipient && " · "}
                    <RelativeTime at={createdAt} style="short" />
                    {attempts > 1 && ` · ${attempts} attempts`}
                  </p>
                  {error && <p className="text-pretty text-muted">{error}</p>}
                </div>
                <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  );
}
