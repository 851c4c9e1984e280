import { Form } from "@remix-run/react";
import { LogOut, MonitorSmartphone } from "lucide-react";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Card } from "~/ui/card";
import { Row } from "~/ui/row";
import { RowList } from "~/ui/row-selection";
import { RelativeTime } from "~/ui/time";
import type { SessionInfo } from "../members.schema";

export function SessionsCard({ sessions }: { sessions: SessionInfo[] }) {
  return (
    <Card
      id="sessions"
      title="Sessions"
      description="Active sessions"
      footer={
        <Form method="post">
          <Button name="intent" value="sign-out-everywhere">
            Sign Out Everywhere
          </Button>
        </Form>
      }
    >
      <RowList label="Active sessions" flush>
        {sessions.map((session) => (
          <Row
            key={session.id}
            name={browserName(session.userAgent)}
            icon={<MonitorSmartphone aria-hidden="true" />}
            state={session.current && <Badge tone="success">This browser</Badge>}
            meta={
              <>
                {session.address ? `${session.address} · last` : "Last"} seen{" "}
                <RelativeTime at={session.lastSeenAt} style="running" />
              </>
            }
            actions={
              session.current
                ? []
                : [
                    {
                      label: "Sign Out",
                      icon: <LogOut />,
                      values: { intent: "end-session", id: session.id },
                    },
                  ]
            }
          />
        ))}
      </RowList>
    </Card>
  );
}

const BROWSERS = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\b(OPR|Opera)\//, "Opera"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|HeadlessChrome|Chromium|CriOS)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
] as const;

const SYSTEMS = [
  [/\b(iPhone|iPad)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
] as const;

/** Such as `Firefox on Linux`. The order matters: user agents also name the browsers they derive from. */
export function browserName(userAgent: string | null): string {
  if (!userAgent) return "Unknown browser";
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (!browser) return userAgent.split("/")[0]?.slice(0, 40) || "Unknown browser";
  return system ? `${browser} on ${system}` : browser;
}
