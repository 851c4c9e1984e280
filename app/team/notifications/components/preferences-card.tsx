import { Form, useNavigation } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { Checkbox } from "~/ui/choice";
import type { NotificationPreferences } from "../notifications.schema";

const LABELS = { email: "Email", push: "Push" } as const;
const CHANNELS = ["email", "push"] as const;

export function PreferencesCard({ preferences }: { preferences: NotificationPreferences }) {
  const navigation = useNavigation();
  const pending = navigation.formData?.get("intent") === "save-notifications";
  const off = CHANNELS.filter((channel) => !preferences.on.includes(channel));
  return (
    <Card
      id="notifications"
      title="Notifications"
      description="Choose what you get by email and push. Every event is listed in the console."
    >
      <Form method="post" preventScrollReset className="flex flex-col gap-3">
        <ul className="flex flex-col">
          {preferences.events.map(({ event, label, hint, channels }) => (
            <li
              key={event}
              className="flex flex-wrap items-center justify-between gap-x-6 border-line py-2 not-last:border-b"
            >
              <div className="min-w-0 flex-[1_1_16rem]">
                <p className="font-medium text-sm">{label}</p>
                <p className="text-muted text-xs">{hint}</p>
              </div>
              <div className="flex gap-6">
                {CHANNELS.map((channel) => (
                  <Checkbox
                    key={channel}
                    name="channels"
                    value={`${event}:${channel}`}
                    defaultChecked={channels.includes(channel)}
                    label={LABELS[channel]}
                    aria-label={`${label} by ${LABELS[channel].toLowerCase()}`}
                  />
                ))}
              </div>
            </li>
          ))}
        </ul>
        {off.length > 0 && (
          <p className="text-muted text-xs">
            {off.map((channel) => LABELS[channel]).join(" and ")} {off.length === 1 ? "is" : "are"} off for
            the organization. Your choice applies once an admin switches {off.length === 1 ? "it" : "them"}{" "}
            on.
          </p>
        )}
        <div>
          <Button name="intent" value="save-notifications" pending={pending}>
            Save Notifications
          </Button>
        </div>
      </Form>
    </Card>
  );
}
